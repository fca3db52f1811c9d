// 8.9 perplexity
    *perplexity = pow(2.0, loss / log(2.0));
    return LAB_OK;

@ loss-itself
-    *perplexity = pow(2.0, loss / log(2.0));
+    *perplexity = loss;

@ minus
-    *perplexity = pow(2.0, loss / log(2.0));
+    *perplexity = exp(-loss);

@ of-bits
-    *perplexity = pow(2.0, loss / log(2.0));
+    *perplexity = exp(loss / log(2.0));

@ power-of-10
-    *perplexity = pow(2.0, loss / log(2.0));
+    *perplexity = pow(10.0, loss);

@ power-of-2
-    *perplexity = pow(2.0, loss / log(2.0));
+    *perplexity = pow(2.0, loss);

@ infinite-loss-refused: none
-    *perplexity = pow(2.0, loss / log(2.0));
+    if (isinf(loss)) {
+        return LAB_EVALUE;
+    }
+    *perplexity = pow(2.0, loss / log(2.0));
