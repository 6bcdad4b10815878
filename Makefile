# The front door of Almanac. `make demo` and `make test` are all a newcomer needs.
PREFIX ?= $(HOME)/.local
DESTDIR ?=
BUILD_FLAGS ?=
RELEASE_FLAGS = -c release --static-swift-stdlib $(BUILD_FLAGS)
SWIFT ?= swift

# What a build needs, and what the tests need besides.
APT_BUILD = git pkg-config libgit2-dev libsqlite3-dev zlib1g-dev tzdata
APT_TEST = libical-dev
BREW_BUILD = git pkg-config libgit2 sqlite
BREW_TEST = libical

.PHONY: help deps deps-test build demo test bench lint format install uninstall docs clean

help:
	@echo 'make demo      build, then watch two replicas diverge and merge'
	@echo 'make test      build and run every test'
	@echo 'make build     release build of the almanac command'
	@echo 'make install   install it into PREFIX (default ~/.local)'
	@echo 'make bench     run the benchmarks against libical'
	@echo 'make lint      check formatting'
	@echo 'make docs      write the command reference and the API reference'
	@echo 'make deps      install the system packages that a build needs'

deps:
	@./scripts/install-deps build $(APT_BUILD) -- $(BREW_BUILD)

deps-test: deps
	@./scripts/install-deps tests $(APT_TEST) -- $(BREW_TEST)

build: deps
	$(SWIFT) build $(RELEASE_FLAGS) --product almanac
	@echo "built $$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/almanac"

demo: deps
	$(SWIFT) build $(BUILD_FLAGS) --product almanac
	"$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/almanac" demo "$$(mktemp -d)/demo"

test: deps-test
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	SWIFT_BACKTRACE=enable=no $(SWIFT) test $(BUILD_FLAGS) --skip-build

bench: deps-test
	$(SWIFT) build -c release $(BUILD_FLAGS) --product almanac-bench
	"$$($(SWIFT) build -c release $(BUILD_FLAGS) --show-bin-path)/almanac-bench" $(BENCH)

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks

install: build
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/almanac" "$(DESTDIR)$(PREFIX)/bin/almanac"
	@echo "installed $(DESTDIR)$(PREFIX)/bin/almanac"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo 'add $(PREFIX)/bin to your PATH to call it by name';; esac

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/almanac"

docs: deps
	$(SWIFT) build $(BUILD_FLAGS) --product almanac
	"$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/almanac" help --reference > docs/reference/cli.md
	@echo 'wrote docs/reference/cli.md'
	./scripts/api-reference

clean:
	$(SWIFT) package clean
