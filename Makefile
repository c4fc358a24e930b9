# make          the library and the programs
# make demo     sets up what is missing, builds, runs the first lesson
# make test     sets up what is missing, builds, runs every test; SAN=1: under the address and undefined-behaviour sanitizers
# make test-browser  the same in JupyterLab and Chromium: sets up .venv, opens and types notebooks, screenshots in build/browser
# make install  the programs and the kernel for Jupyter below PREFIX (/usr/local); make install-kernel: for your own Jupyter, from here
# make bench    Locus beside Python with PyTorch and NumPy, one table; PEER=: a Python that imports torch
# make help     every target
CFLAGS ?= -O3 -g
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
B      := build
ifdef SAN
CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
B      := build/san
endif
FLAGS  := -std=c11 -D_GNU_SOURCE -fwrapv -ffp-contract=off -fno-math-errno -fno-trapping-math -I. -I$B -MMD -MP -Wall -Wextra -Wpedantic -Wshadow \
          -Wstrict-prototypes -Wmissing-prototypes

objects = $(foreach d,$1,$(patsubst %.c,$B/%.o,$(wildcard $d/*.c)))
LIB    := $B/liblocus.a
TESTS  := $(patsubst %.c,$B/%,$(wildcard tests/tensor/test_*.c tests/lang/test_*.c tests/show/test_*.c tests/look/test_*.c tests/kernel/test_*.c))
LIBS   := -lz -lutf8proc -lgmp -lsleef -ljansson -lm -ldl -lpthread

# Categories of recorded traces that the language and the library cover.
TRACED := identity views creation broadcasting printing indexing dtypes elementwise reductions shapes linalg python
PROGRAMS := $(if $(wildcard repl/main.c),$B/locus) $(if $(wildcard kernel/main.c),$B/locus-kernel)

all: $(LIB) $(PROGRAMS)

# Installs what building and testing need: by apt where that may be done, else it prints the command and stops.
setup:
	@tests/support/setup

# The first lesson, with its memory lines.
demo: setup
	@$(MAKE) --no-print-directory all
	$B/locus notebooks/lessons/01_saving_memory.py

# Every test, then one line that counts them.
test: setup
	@$(MAKE) --no-print-directory all $(TESTS)
	@$(PYTHON) tests/support/run $(TESTS) $(if $(filter $B/locus,$(PROGRAMS)),"$(PYTHON) tests/scripts/run $B/locus tests/scripts" "$(PYTHON) tests/scripts/run $B/locus tests/refuse" \
	    "$(PYTHON) tests/trace/run.py $B/locus $(addprefix tests/trace/cases/,$(TRACED)) --except tests/trace/later.txt" \
	    "$(PYTHON) tests/repl/test_repl.py $B/locus" "$(PYTHON) tests/repl/test_command_line.py $B/locus" \
	    "$(PYTHON) tests/repl/test_bad_input.py $B/locus" "$(PYTHON) tests/files/test_files.py $B/locus") \
	    $(if $(filter $B/locus-kernel,$(PROGRAMS)),"$(PYTHON) tests/kernel/test_kernel.py $B/locus-kernel" "$(PYTHON) tests/kernel/test_install.py $B" \
	    "$(PYTHON) tests/repl/test_front_ends.py $B/locus $B/locus-kernel")

# The kernel in JupyterLab, as somebody at a screen uses it.
test-browser: setup
	@tests/browser/setup $(PYTHON)
	@$(MAKE) --no-print-directory all
	@.venv/bin/python tests/browser/run

# Both programs, and the kernel for Jupyter, below PREFIX; DESTDIR stands before it while a package is made.
install: all
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install $(PROGRAMS) "$(DESTDIR)$(PREFIX)/bin"
	$B/locus-kernel install --prefix "$(DESTDIR)$(PREFIX)" --program "$$(realpath -ms "$(PREFIX)")/bin/locus-kernel"

# One table of times and memory. BENCH: more options of bench/run.
BENCHES := $(patsubst %.c,$B/%,$(wildcard bench/*.c))
bench: setup
	@$(MAKE) --no-print-directory all $(BENCHES)
	@$(PYTHON) bench/run --build $B $(if $(PEER),--peer $(PEER)) $(BENCH)

# Tells the user's own Jupyter of the kernel that lies here.
install-kernel: all
	$B/locus-kernel install --user

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

$(LIB): $(call objects,tensor tensor/cpu lang lang/syntax lang/types lang/run lang/modules lang/numpy lang/files show)
	@rm -f $@
	$(AR) rcs $@ $^
$B/locus: $(call objects,repl) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ledit $(LIBS)
$B/locus-kernel: $(call objects,kernel) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzmq -lsodium $(LIBS)
$(TESTS): $B/%: $B/%.o $(call objects,tests/support) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) -lcmocka $(TESTLIBS) $(LIBS)
$(filter $B/tests/kernel/%,$(TESTS)): $(filter-out $B/kernel/main.o,$(call objects,kernel))
$(filter $B/tests/kernel/%,$(TESTS)): TESTLIBS := -lzmq -lsodium

$(BENCHES): $B/%: $B/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CFLAGS) -c -o $@ $<

# The library that is written in the language, as bytes of C arrays.
PRELUDE := $(wildcard lang/modules/prelude/*.py)
$B/lang/modules/prelude.inc: $(PRELUDE)
	@mkdir -p $(@D)
	@for f in $^; do echo "static const unsigned char text_$$(basename $$f .py)[] = {"; \
	    od -An -v -tu1 $$f | sed 's/\([0-9][0-9]*\)/\1,/g'; echo "};"; done > $@
$B/lang/modules/prelude.o: $B/lang/modules/prelude.inc

clean:
	rm -rf build
# make clean    removes what was built

.PHONY: all setup demo test test-browser bench install install-kernel help clean
.SECONDARY:
-include $(wildcard $B/*/*.d $B/*/*/*.d $B/*/*/*/*.d)
