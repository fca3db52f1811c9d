// 4.4 merge_heads
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c++) {
                    out[(b * T + t) * C + h * hs + c] =
                        x[((b * NH + h) * T + t) * hs + c];
                }
            }
        }
    }
    return LAB_OK;

@ B-in-16-bits: none
+    B = (unsigned short)B;
     const size_t hs = C / NH;

@ T-in-16-bits: none
+    T = (unsigned short)T;
     const size_t hs = C / NH;

@ C-in-16-bits: none
+    C = (unsigned short)C;
     const size_t hs = C / NH;

@ NH-in-16-bits: none
+    NH = (unsigned short)NH;
     const size_t hs = C / NH;

@ at-most-10: none
-                        x[((b * NH + h) * T + t) * hs + c];
+                        fminf(x[((b * NH + h) * T + t) * hs + c], 10.0f);

@ from-sequence-0
-                        x[((b * NH + h) * T + t) * hs + c];
+                        x[(h * T + t) * hs + c];

@ head-major
-                    out[(b * T + t) * C + h * hs + c] =
-                        x[((b * NH + h) * T + t) * hs + c];
+                    out[((b * T + t) * NH + h) * hs + c] =
+                        x[((h * B + b) * T + t) * hs + c];

@ interleaved
-                    out[(b * T + t) * C + h * hs + c] =
+                    out[(b * T + t) * C + c * NH + h] =

@ into-sequence-0
-                    out[(b * T + t) * C + h * hs + c] =
+                    out[t * C + h * hs + c] =

@ reshape-alone
    struct view view;
    const size_t size[] = {B, T, C};
    lab_status status = view_of(&view, x, size, 3);
    if (status != LAB_OK) {
        return status;
    }
    return view_contiguous(out, &view);

@ sequence-0-only
-                    out[(b * T + t) * C + h * hs + c] =
-                        x[((b * NH + h) * T + t) * hs + c];
+                    out[t * C + h * hs + c] = x[(h * T + t) * hs + c];

@ split-again
    return split_heads(out, x, B, T, C, NH);

@ token-major
-                    out[(b * T + t) * C + h * hs + c] =
+                    out[((t * B + b) * NH + h) * hs + c] =
