// 11.6 attention_distance
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < T; s++) {
                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
            }
        }
        distance[n] = (float)(sum / (double)T);
    }
    return LAB_OK;

@ signed
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * ((double)t - (double)s);

@ signed-other-way
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * ((double)s - (double)t);

@ wraps-around
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * (double)(t - s);

@ squared
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * (double)((t - s) * (t - s));

@ back-only
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * (double)(s < t ? t - s : 0);

@ plus-1
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * (double)(s < t ? t - s + 1 : s - t + 1);

@ sum
-        distance[n] = (float)(sum / (double)T);
+        distance[n] = (float)sum;

@ over-all-cells
-        distance[n] = (float)(sum / (double)T);
+        distance[n] = (float)(sum / (double)(T * T));

@ not-weighted
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += (double)(s < t ? t - s : s - t);

@ head-0
-        const float *weights_n = weights + n * T * T;
+        const float *weights_n = weights;

@ in-8-bits: none
-                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
+                sum += weights_n[t * T + s] * (double)(unsigned char)(s < t ? t - s : s - t);

@ over-T-1
-        distance[n] = (float)(sum / (double)T);
+        distance[n] = (float)(sum / (double)(T > 1 ? T - 1 : 1));
