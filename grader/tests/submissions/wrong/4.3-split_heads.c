// 4.3 split_heads
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c++) {
                    out[((b * NH + h) * T + t) * hs + c] =
                        x[((b * T + t) * NH + h) * hs + c];
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

@ small-numbers-are-0: none
-                        x[((b * T + t) * NH + h) * hs + c];
+                        x[((b * T + t) * NH + h) * hs + c];
+                        if (fabsf(out[((b * NH + h) * T + t) * hs + c]) < 1e-7f) {
+                            out[((b * NH + h) * T + t) * hs + c] = 0.0f;
+                        }

@ NH-hs-exchanged
    struct view view;
    const size_t size[] = {B, T, C / NH, NH};
    lab_status status = view_of(&view, x, size, 4);
    if (status == LAB_OK) {
        status = view_transpose(&view, &view, 1, 2);
    }
    if (status == LAB_OK) {
        status = view_contiguous(out, &view);
    }
    return status;

@ channels-first
-                    out[((b * NH + h) * T + t) * hs + c] =
+                    out[((b * NH + h) * hs + c) * T + t] =

@ from-sequence-0
-                        x[((b * T + t) * NH + h) * hs + c];
+                        x[(t * NH + h) * hs + c];

@ head-major
-                    out[((b * NH + h) * T + t) * hs + c] =
+                    out[((h * B + b) * T + t) * hs + c] =

@ interleaved
-                        x[((b * T + t) * NH + h) * hs + c];
+                        x[(b * T + t) * C + c * NH + h];

@ into-sequence-0
-                    out[((b * NH + h) * T + t) * hs + c] =
+                    out[(h * T + t) * hs + c] =

@ merged-instead
-                    out[((b * NH + h) * T + t) * hs + c] =
-                        x[((b * T + t) * NH + h) * hs + c];
+                    out[((b * T + t) * NH + h) * hs + c] =
+                        x[((b * NH + h) * T + t) * hs + c];

@ reshape-alone
    memcpy(out, x, B * T * C * sizeof *out);
    return LAB_OK;

@ sequence-0-only
-                    out[((b * NH + h) * T + t) * hs + c] =
-                        x[((b * T + t) * NH + h) * hs + c];
+                    out[(h * T + t) * hs + c] = x[(t * NH + h) * hs + c];

@ one-token-takes-sequence-0: from-sequence-0
-                        x[((b * T + t) * NH + h) * hs + c];
+                        x[(((T > 1 ? b : 0) * T + t) * NH + h) * hs + c];

@ last-of-whole-vectors: none
-                for (size_t c = 0; c < hs; c++) {
+                for (size_t c = 0; c < (hs % 64 == 0 ? hs - 64 : hs); c++) {

@ at-most-512-heads: none
-            for (size_t h = 0; h < NH; h++) {
+            for (size_t h = 0; h < NH && h < 512; h++) {
