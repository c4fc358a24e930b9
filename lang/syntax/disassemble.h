/* disassemble.h - instructions as text, for tests and for the curious. */
#ifndef LANG_SYNTAX_DISASSEMBLE_H
#define LANG_SYNTAX_DISASSEMBLE_H
#include "lang/syntax/code.h"
/* One line an instruction: its index, name, argument and what that means; then the handlers; then the code
 * inside. */
void code_print(Session *s, const Code *code, Text *text);
#endif
