// 11.8 attention_findings
    found->next.layer = 1;
    found->next.head = 8;
    found->it_to_cat.layer = 5;
    found->it_to_cat.head = 11;
    found->cls_layer = 4;
    return LAB_OK;

@ from-1
    *found = (struct findings){{2, 9}, {6, 12}, 5};
    return LAB_OK;

@ layers-from-1
    *found = (struct findings){{2, 8}, {6, 11}, 5};
    return LAB_OK;

@ heads-from-1
    *found = (struct findings){{1, 9}, {5, 12}, 4};
    return LAB_OK;

@ layer-and-head-swapped
    *found = (struct findings){{8, 1}, {11, 5}, 4};
    return LAB_OK;

@ previous-for-next
-    found->next.layer = 1;
-    found->next.head = 8;
+    found->next.layer = 0;
+    found->next.head = 2;

@ cat-to-it
-    found->it_to_cat.layer = 5;
+    found->it_to_cat.layer = 3;

@ tokens-from-1
-    found->it_to_cat.head = 11;
+    found->it_to_cat.head = 6;

@ strongest-head
-    found->cls_layer = 4;
+    found->cls_layer = 2;

@ sep-for-cls: none
-    found->cls_layer = 4;
+    found->cls_layer = 0;

@ all-zero: none
    *found = (struct findings){0};
    return LAB_OK;

@ first-field-0: none
-    found->next.layer = 1;
+    found->next.layer = 0;

@ first-head-0: none
-    found->next.head = 8;
+    found->next.head = 0;

@ second-field-0: none
-    found->it_to_cat.layer = 5;
-    found->it_to_cat.head = 11;
+    found->it_to_cat = (struct head){0};

@ last-field-left: none
-    found->cls_layer = 4;

@ head-left: none
-    found->it_to_cat.head = 11;
