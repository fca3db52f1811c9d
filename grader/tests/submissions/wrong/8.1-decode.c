// 8.1 decode
    size_t n = N;
    while (n-- > 0) {
        size_t token = tokens[n];
        text[n] = bytes[token];
    }
    return LAB_OK;

@ text-of-1024: none
    size_t row[1024];
    for (size_t n = 0; n < N && n < 1024; n++) {
        row[n] = tokens[n];
        text[n] = bytes[row[n]];
    }
    return LAB_OK;

@ distance-from-first
-        text[n] = bytes[token];
+        text[n] = (uint8_t)(bytes[0] + token);

@ from-the-end
-        text[n] = bytes[token];
+        text[n] = bytes[V - 1 - token];

@ one-too-small
-        text[n] = bytes[token];
+        text[n] = bytes[token == 0 ? 0 : token - 1];

@ tokens-for-bytes
-        text[n] = bytes[token];
+        text[n] = (uint8_t)token;

@ first-4096: none
-        size_t token = tokens[n];
+        size_t token = n < 4096 ? tokens[n] : 0;

@ 0-at-the-end: crash
-    return LAB_OK;
+    text[N] = 0;
+    return LAB_OK;
