# fails: SyntaxError
# error: invalid syntax
%who
