// 1.3 attention_scores wrong
#include <stdio.h>
// BODY
    // Bytes that break JSON, XML, UTF-8 and terminals.
    static const char text[] = "\0\"\\'<&]]>--></testcase></testsuite>\r\n\t\b\f\v\x1b[2J\x1b]0;"
                               "title\a\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80"
                               "\x01\x02\x7f\xc2\x85\xe2\x80\xa8{\"score\":20}%s%n\n";
    fwrite(text, 1, sizeof text, stdout);
    fwrite(text, 1, sizeof text, stderr);
    return LAB_OK;
