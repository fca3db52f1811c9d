// 8.9 bits_per_character
    *bits = loss * 1.4426950408889634;
    return LAB_OK;

@ divided-twice
-    *bits = loss * 1.4426950408889634;
+    *bits = loss / log(2.0) * 1.4426950408889634;

@ log10
-    *bits = loss * 1.4426950408889634;
+    *bits = loss / log10(2.0);

@ log2-of-loss
-    *bits = loss * 1.4426950408889634;
+    *bits = log2(loss);

@ loss-itself
-    *bits = loss * 1.4426950408889634;
+    *bits = loss;

@ multiplied
-    *bits = loss * 1.4426950408889634;
+    *bits = loss * log(2.0);

@ of-perplexity
-    *bits = loss * 1.4426950408889634;
+    *bits = exp(loss) / log(2.0);

@ over-2
-    *bits = loss * 1.4426950408889634;
+    *bits = loss / 2.0;
