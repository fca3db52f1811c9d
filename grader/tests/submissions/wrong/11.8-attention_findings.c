// 11.8 attention_findings
    found->previous.layer = 0;
    found->previous.head = 2;
    found->it_to_cat.layer = 5;
    found->it_to_cat.head = 11;
    found->separator_layer = 0;
    return LAB_OK;

@ from-1
    *found = (struct findings){{1, 3}, {6, 12}, 1};
    return LAB_OK;

@ layers-from-1
    *found = (struct findings){{1, 2}, {6, 11}, 1};
    return LAB_OK;

@ heads-from-1
    *found = (struct findings){{0, 3}, {5, 12}, 0};
    return LAB_OK;

@ layer-and-head-swapped
    *found = (struct findings){{2, 0}, {11, 5}, 0};
    return LAB_OK;

@ next-for-previous
-    found->previous.layer = 0;
-    found->previous.head = 2;
+    found->previous.layer = 1;
+    found->previous.head = 8;

@ cat-to-it
-    found->it_to_cat.layer = 5;
+    found->it_to_cat.layer = 3;

@ tokens-from-1
-    found->it_to_cat.head = 11;
+    found->it_to_cat.head = 6;

@ cls-for-sep
-    found->separator_layer = 0;
+    found->separator_layer = 4;

@ all-zero: none
    *found = (struct findings){0};
    return LAB_OK;

@ last-field-left: none
-    found->separator_layer = 0;

@ head-left: none
-    found->it_to_cat.head = 11;
