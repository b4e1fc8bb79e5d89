#!/usr/bin/env python3
"""Checks the rules of the tree that a compiler does not: who includes whom, who may allocate, print or end the process.

Takes no arguments: it checks the repository it lies in, prints one line per violation ("path:line: what is wrong") and
ends with status 1 if there was any. Standard library only.

    folders      an #include from src/<folder> stays within what src/LAYERS allows, down to its rooms (sub-folders); no
                 two folders include each other; every folder and room of src/ is listed and has at most 25 sources
    clients      folders below the line "# clients", apps/, examples/ and bindings/ use <dent/...> and their own files;
                 the former also rooms of headers that src/LAYERS lists for them
    methods      a method does not include another; method_interface.h and method_table.h are shared
    core         the library's folders need nothing but the C and POSIX headers and the compilers' intrinsics
    memory       only src/base/allocator.c calls the C allocator
    manners      no exit, abort, printf, stdout, stderr, qsort (it may allocate) in src/; files only in src/io
    names        file names are unique in src/, include/ and apps/, and never those of system headers
    comments     every source opens with a comment
"""

import re
import sys
from pathlib import Path

C_SUFFIXES = {".c", ".h", ".inc", ".cc", ".cpp", ".hpp"}
HASH_SUFFIXES = {".py", ".sh", ".cmake"}
SLASH_SUFFIXES = C_SUFFIXES | {".js", ".ts", ".css"}

C_HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype""".split()
POSIX_HEADERS = """aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary
mqueue ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn strings
stropts sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time
sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios trace ulimit unistd utime utmpx
wordexp""".split()
COMPILER_HEADERS = """immintrin xmmintrin emmintrin smmintrin x86intrin cpuid arm_neon wasm_simd128
sanitizer/asan_interface""".split()
# Names that common systems have beside the standard ones; a file of ours must not be found in their place.
OTHER_SYSTEM_HEADERS = """alloca ar argz byteswap crypt elf endian err error execinfo fts getopt ieee754 ifaddrs link
malloc memory mntent obstack paths printf random resolv sgtty shadow stab thread_db ucontext values wait zlib lzma
version vector string_view memory_resource atomic thread mutex array list map set queue stack random chrono ratio
bitset""".split()

ALLOCATING = """malloc calloc realloc reallocarray aligned_alloc posix_memalign memalign valloc alloca strdup strndup
asprintf vasprintf getline getdelim open_memstream""".split()
ENDING = "exit _exit _Exit quick_exit abort at_quick_exit atexit".split()
SORTING = ["qsort", "qsort_r", "qsort_s"]
PRINTING = "printf vprintf puts putchar perror psignal".split()
STREAMS = "stdout stderr stdin".split()
FILES = """FILE fopen freopen fdopen fprintf vfprintf fputs fputc putc fwrite fread fgets fgetc getc fscanf
tmpfile""".split()

SHARED_METHOD_FILES = {"method_interface", "method_table"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


def blank(text):
    """The same text with everything but line ends turned into spaces: line numbers stay right."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?(?:\*/|\Z)|//[^\n]*', re.DOTALL)
    return pattern.sub(lambda m: m.group() if m.group()[0] in "\"'" else blank(m.group()), text)


def without_strings(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', lambda m: '""' + " " * (len(m.group()) - 2), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Checker:
    def __init__(self, root):
        self.root = root
        self.violations = []
        self.allowed = {}  # folder -> folders it may include
        self.rooms = {}  # folder -> {room: rooms of the same folder it may include}
        self.clients = []
        self.edges = {}  # (from folder, to folder) -> "path:line" of the first such include

    def complain(self, path, line, text):
        name = path.relative_to(self.root) if isinstance(path, Path) else path
        self.violations.append(f"{name}:{line}: {text}")

    # ---- src/LAYERS ------------------------------------------------------------------------------------------------

    def read_layers(self):
        path = self.root / "src" / "LAYERS"
        below_the_line = False
        last = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() == "# clients":
                below_the_line = True
            indented = line[:1].isspace()
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            if indented:
                self.read_room(path, number, last, line)
                continue
            name, colon, rest = line.partition(":")
            if not colon or not re.fullmatch(r"[a-z_]+", name) or name in self.allowed:
                self.complain(path, number, f"expected 'folder: allowed folders', each folder once, found '{line}'")
                continue
            for other in rest.split():
                # Only what was named before: so the lists cannot form a circle.
                if below_the_line and "/" in other:
                    self.check_shared_room(path, number, *other.split("/", 1))
                elif other not in self.allowed:
                    self.complain(path, number, f"{name} may not include {other}, which is not to its left")
                elif below_the_line and other not in self.clients:
                    self.complain(path, number, f"{name} is a client and may not include {other} of the library")
            self.allowed[name] = rest.split()
            last = name
            if below_the_line:
                self.clients.append(name)

    def read_room(self, path, number, folder, line):
        name, colon, rest = line.partition(":")
        rooms = self.rooms.setdefault(folder, {})
        if not colon or not re.fullmatch(r"[a-z_/]+|\.", name) or name in rooms:
            self.complain(path, number, f"expected 'room: rooms', each room once, found '{line}'")
            return
        for other in rest.split():
            if other not in rooms:
                self.complain(path, number, f"{folder}/{name} may not include {other}, which does not stand above it")
        rooms[name] = rest.split()

    def check_shared_room(self, path, number, folder, room):
        """A room of the library that clients may include: headers alone, which need nothing of the library."""
        if room not in self.rooms.get(folder, {}):
            self.complain(path, number, f"{folder}/{room} is no room")
        elif self.rooms[folder][room] or self.allowed[folder]:
            self.complain(path, number, f"{folder}/{room} may include others, so clients may not include it")
        for source in self.files_under(f"src/{folder}/{room}", {".c"}):
            self.complain(source, 1, f"clients include {folder}/{room}: it may have headers only")

    def room_of(self, path):
        parts = path.relative_to((self.root / "src").resolve()).parts
        return "/".join(parts[1:-1]) or "."

    # ---- files -----------------------------------------------------------------------------------------------------

    def files_under(self, folder, suffixes=None):
        base = self.root / folder
        if not base.is_dir():
            return []
        return [p for p in sorted(base.rglob("*")) if p.is_file() and (suffixes is None or p.suffix in suffixes)
                and "node_modules" not in p.parts and "__pycache__" not in p.parts]

    def check_names(self):
        system = {name.split("/")[-1] + ".h" for name in
                  C_HEADERS + POSIX_HEADERS + COMPILER_HEADERS + OTHER_SYSTEM_HEADERS}
        seen = {}
        for folder in ("include", "src", "apps"):
            for path in self.files_under(folder, C_SUFFIXES):
                name = path.name.lower()
                if name in system:
                    self.complain(path, 1, f"{path.name} is the name of a system header")
                if name in seen:
                    self.complain(path, 1, f"the name is already that of {seen[name].relative_to(self.root)}")
                seen.setdefault(name, path)

    def check_opening_comments(self):
        for folder in ("include", "src", "apps"):
            for path in self.files_under(folder):
                suffix = path.suffix
                if suffix in SLASH_SUFFIXES:
                    openings = ("/*", "//")
                elif suffix in HASH_SUFFIXES or path.name in ("CMakeLists.txt", "LAYERS"):
                    openings = ("#",)
                else:
                    continue
                text = path.read_text(encoding="utf-8", errors="replace").lstrip("\ufeff \t\r\n")
                if not text.startswith(openings):
                    self.complain(path, 1, "does not open with a comment")

    # ---- includes --------------------------------------------------------------------------------------------------

    def resolve(self, path, name, bases):
        """The file an #include "name" means, or None."""
        for base in [path.parent] + bases:
            candidate = (base / name).resolve()
            if candidate.is_file():
                return candidate
        return None

    def check_public_include(self, path, line, name):
        if name.startswith("dent/") and not (self.root / "include" / name).is_file():
            self.complain(path, line, f"<{name}> does not exist")

    def check_source_includes(self, path, code):
        source = self.root / "src"
        folder = path.relative_to(source).parts[0]
        client = folder in self.clients
        known = {name + ".h" for name in C_HEADERS + POSIX_HEADERS + COMPILER_HEADERS}
        for match in INCLUDE.finditer(code):
            line = line_of(code, match.start())
            quoted, angled = match.groups()
            if angled:
                self.check_public_include(path, line, angled)
                if not client and not angled.startswith("dent/") and angled not in known:
                    self.complain(path, line, f"the core library may not need <{angled}>")
                continue
            if quoted.startswith("dent/"):
                self.complain(path, line, f'write <{quoted}> instead of "{quoted}"')
                continue
            target = self.resolve(path, quoted, [source])
            if target is None or source.resolve() not in target.parents:
                self.complain(path, line, f'"{quoted}" is not a file {folder} may include')
                continue
            self.check_edge(path, line, folder, target)

    def check_edge(self, path, line, folder, target):
        other = target.relative_to((self.root / "src").resolve()).parts[0]
        if other != folder:
            self.edges.setdefault((folder, other), f"{path.relative_to(self.root)}:{line}")
            if not {other, f"{other}/{self.room_of(target)}"} & set(self.allowed.get(folder, [])):
                self.complain(path, line, f"{folder} may not include {other} (src/LAYERS)")
            return
        mine, theirs = self.room_of(path.resolve()), self.room_of(target)
        if mine != theirs and theirs not in self.rooms.get(folder, {}).get(mine, []):
            self.complain(path, line, f"{folder}/{mine} may not include {folder}/{theirs} (src/LAYERS)")
        elif folder == "methods" and mine == theirs:
            self.check_method_include(path, line, target)

    @staticmethod
    def method_of(path):
        """The shortest beginning of the name, in whole words, that is a source file of the same folder."""
        words = path.stem.split("_")
        names = ("_".join(words[:count]) for count in range(1, len(words) + 1))
        return next((name for name in names if path.with_name(name + ".c").exists()), path.stem)

    def check_method_include(self, path, line, target):
        mine, other = path.stem, target.stem
        if mine in SHARED_METHOD_FILES or other in SHARED_METHOD_FILES:
            return
        # A method may be several files: cluster_search.c, cluster_search_cache.c, cluster_search_pairs.c ...
        one_begins_the_other = mine.startswith(other + "_") or other.startswith(mine + "_")
        if mine != other and not one_begins_the_other and self.method_of(path) != self.method_of(target):
            self.complain(path, line, f"method {mine} may not include method {other}")

    def check_client_includes(self, top):
        """apps/<name>/, examples/, bindings/: <dent/...> and files of their own."""
        for path in self.files_under(top, C_SUFFIXES):
            parts = path.relative_to(self.root / top).parts
            own = self.root / top / parts[0] if len(parts) > 1 else self.root / top
            code = without_comments(path.read_text(encoding="utf-8", errors="replace"))
            for match in INCLUDE.finditer(code):
                line = line_of(code, match.start())
                quoted, angled = match.groups()
                if angled:
                    self.check_public_include(path, line, angled)
                elif quoted.startswith("dent/"):
                    self.complain(path, line, f'write <{quoted}> instead of "{quoted}"')
                else:
                    target = self.resolve(path, quoted, [own])
                    if target is None or own.resolve() not in target.parents:
                        self.complain(path, line, f'"{quoted}" is not a file of {own.relative_to(self.root)}')

    def check_mutual_pairs(self):
        for (a, b), place in sorted(self.edges.items()):
            if a < b and (b, a) in self.edges:
                self.complain("src", 1, f"{a} and {b} include each other: {place} and {self.edges[(b, a)]}")

    # ---- words that may not appear ---------------------------------------------------------------------------------

    def forbid(self, path, code, words, reason, calls_only=False):
        # A member of that name (list->free, stream.puts) is something else.
        pattern = r"(?<![\w.])(?<!->)(" + "|".join(words) + r")\b" + (r"(?=\s*\()" if calls_only else "")
        for match in re.finditer(pattern, code):
            self.complain(path, line_of(code, match.start()), f"{match.group(1)}: {reason}")

    def check_words(self, path, code):
        relative = path.relative_to(self.root).as_posix()
        folder = path.relative_to(self.root / "src").parts[0]
        if relative != "src/base/allocator.c":
            self.forbid(path, code, ALLOCATING, "only src/base/allocator.c may call the C allocator")
            self.forbid(path, code, ["free"], "only src/base/allocator.c may call the C allocator", calls_only=True)
        self.forbid(path, code, ENDING, "the library never ends the process", calls_only=True)
        self.forbid(path, code, PRINTING, "the library never prints", calls_only=True)
        self.forbid(path, code, SORTING, "it may allocate; use base/radix_sort.h or base/containers/heap_sort.h", calls_only=True)
        self.forbid(path, code, STREAMS, "the library never prints")
        if folder != "io":
            self.forbid(path, code, FILES, "only src/io works with files")

    # ---- all of it -------------------------------------------------------------------------------------------------

    def check_sources(self):
        source = self.root / "src"
        for folder in sorted(p for p in source.iterdir() if p.is_dir()):
            if folder.name not in self.allowed and self.files_under(f"src/{folder.name}"):
                self.complain(folder, 1, "the folder is not listed in src/LAYERS")
            for room in {self.room_of(p.resolve()) for p in self.files_under(f"src/{folder.name}", C_SUFFIXES)}:
                if room not in self.rooms.get(folder.name, {".": []}):
                    self.complain(folder, 1, f"its room {room} is not listed in src/LAYERS")
        for top in ("src", "apps"):
            for folder in {p.parent for p in self.files_under(top, {".c"})}:
                count = len(list(folder.glob("*.c")))
                if count > 25:
                    self.complain(folder, 1, f"{count} sources: at most 25 are expected; make rooms")
        for path in self.files_under("src", C_SUFFIXES):
            if path.parent == source:
                self.complain(path, 1, "a source lies in a folder of src/, not beside them")
                continue
            code = without_comments(path.read_text(encoding="utf-8", errors="replace"))
            self.check_source_includes(path, code)
            self.check_words(path, without_strings(INCLUDE.sub(lambda m: blank(m.group()), code)))

    def run(self):
        self.read_layers()
        self.check_sources()
        self.check_mutual_pairs()
        for top in ("apps", "examples", "bindings"):
            self.check_client_includes(top)
        self.check_names()
        self.check_opening_comments()
        return self.violations


def main():
    root = Path(__file__).resolve().parent.parent
    if not (root / "src" / "LAYERS").is_file():
        print(f"{root / 'src' / 'LAYERS'} is missing", file=sys.stderr)
        return 2
    violations = Checker(root).run()
    for violation in violations:
        print(violation)
    print(f"check_layers: {len(violations)} violation(s)" if violations else "check_layers: good")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
