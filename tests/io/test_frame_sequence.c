/* Series of frames: which files belong to one and in which order, tar archives of every kind and broken in every way,
 * one frame after the other in a world. */
#include "reading.h"
#include "tar_writing.h"

#include "io/frames/frame_names.h"
#include "support/failing_allocator.h"

#include <dent/frames.h>
#include <dent/query.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tar_text tar; /* too large for the stack */
static uint8_t packed[TAR_TEST_LIMIT + 4096];
static char folder[] = "/tmp/dent_frames_XXXXXX";

/* A triangle whose first vertex tells frames apart. */
static const char *triangle(int x)
{
    static char text[4][128];
    static int turn;
    char *at = text[turn++ % 4];
    snprintf(at, 128, "v %d 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", x);
    return at;
}

static void open_tar(struct reading *reading, const char *name, const void *bytes, size_t size, dent_frames **frames)
{
    *frames = NULL;
    reading->status = dent_frames_open_memory(reading->context, name, bytes, size, frames);
    dent_context_message(reading->context, reading->message, sizeof reading->message);
    if (reading->status != DENT_OK) {
        assert_null(*frames);
    }
}

static void open_paths(struct reading *reading, uint32_t count, const char *const *paths, dent_frames **frames)
{
    *frames = NULL;
    reading->status = dent_frames_open(reading->context, count, paths, frames);
    dent_context_message(reading->context, reading->message, sizeof reading->message);
}

/* The x of the first vertex of a frame. */
static double first_x(struct reading *reading, dent_frames *frames, uint32_t index)
{
    dent_mesh *mesh = NULL;
    reading->status = dent_frame_read(frames, index, NULL, &mesh);
    if (reading->status != DENT_OK) {
        dent_context_message(reading->context, reading->message, sizeof reading->message);
        print_error("%s\n", reading->message);
    }
    assert_int_equal(reading->status, DENT_OK);
    double x = mesh->bodies[0].positions[0];
    dent_mesh_destroy(reading->context, mesh);
    return x;
}

/* The series has these numbers, and each frame holds its number as x. */
static void assert_frames(struct reading *reading, dent_frames *frames, uint32_t count, const int *numbers)
{
    if (!frames) {
        print_error("%s\n", reading->message);
    }
    assert_non_null(frames);
    assert_int_equal(dent_frames_count(frames), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(dent_frame_number(frames, i), numbers[i]);
        assert_true(first_x(reading, frames, i) == numbers[i]);
    }
    /* Backwards too: a packed archive must start again each time. */
    for (uint32_t i = count; i-- > 0;) {
        assert_true(first_x(reading, frames, i) == numbers[i]);
    }
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void patterns_match_as_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        int number; /* -1: no match; -2: a match without a number */
    } cases[] = {
        {"shirt_%04d.obj", "shirt_0012.obj", 12},
        {"shirt_%04d.obj", "shirt_12.obj", -1},
        {"shirt_%04d.obj", "shirt_12345.obj", 12345},
        {"shirt_%d.obj", "shirt_12.obj", 12},
        {"shirt_%d.obj", "shirt_.obj", -1},
        {"shirt_%d.obj", "shirt_1a.obj", -1},
        {"shirt_%d.obj", "shirt_1.objx", -1},
        {"%d1.obj", "111.obj", 111},
        {"%d1.obj", "1.obj", -1},
        {"%02d1.obj", "11.obj", -1},
        {"s_*.obj", "s_7.obj", 7},
        {"s_*.obj", "s_final.obj", -2},
        {"s_*_v2.obj", "s_007_v2.obj", 7},
        {"s_*_v2.obj", "s_007_v3.obj", -1},
        {"take2_*.obj", "take2_x.obj", -2},
        {"s_???.obj", "s_012.obj", 12},
        {"s_???.obj", "s_0123.obj", -1},
        {"*", "a/7.obj", -1},
        {"a/*", "a/7.obj", 7},
        {"*.obj*", "7.obj.xz", 7},
        {"100%%_%d.obj", "100%_3.obj", 3},
        {"*a*b*c*d*e*f", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1},
        {"s_1*.obj", "s_123.obj", 123},
        {"?", "/", -1},
        {"s_7*.obj", "s_7.obj", 7},
        {"*7.obj", "7.obj", 7},
        {"s_*", "s_", -2},
        {"**7*.obj", "x7y.obj", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct name_span wild, digits;
        uint64_t number = 0;
        assert_null(pattern_fault(cases[i].pattern));
        bool matches = pattern_matches(cases[i].pattern, cases[i].name, &wild);
        int found = !matches                                                             ? -1
                    : name_number(cases[i].name, wild, &digits, &number) == NUMBER_FOUND ? (int)number
                                                                                         : -2;
        if (found != cases[i].number) {
            print_error("%s, %s\n", cases[i].pattern, cases[i].name);
        }
        assert_int_equal(found, cases[i].number);
    }
    static const char *const faulty[] = {"a%s.obj",   "%n",       "%",          "100%.obj",
                                         "%d_%d.obj", "*_%d.obj", "%00000004d", "%4x"};
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        assert_non_null(pattern_fault(faulty[i]));
    }
}

static void the_last_number_of_a_name_counts_and_may_be_large(void **state)
{
    (void)state;
    struct name_span digits;
    uint64_t number;
    const char *name = "x/take3/shirt2_00018446744073709551604.ply.xz";
    assert_int_equal(name_number(name, name_stem(name), &digits, &number), NUMBER_FOUND);
    assert_true(number == 18446744073709551604u);
    name = "x99999999999999999999.obj";
    assert_int_equal(name_number(name, name_stem(name), &digits, &number), NUMBER_TOO_LARGE);
    name = "take3/shirt.obj"; /* folders have no say */
    assert_int_equal(name_number(name, name_stem(name), &digits, &number), NUMBER_NONE);
    assert_true(dent_paths_same_series("a/s_1.obj", "a/s_22.obj"));
    assert_false(dent_paths_same_series("a/s_1.obj", "b/s_2.obj"));
    assert_false(dent_paths_same_series("s_1.obj", "s_2.ply"));
    assert_false(dent_paths_same_series("s_1_2.obj", "s_2_2.obj"));
    assert_false(dent_paths_same_series("s_1.txt", "s_2.txt"));
}

/* ---- files and folders ----------------------------------------------------------------------------------------- */

static char *path_of(const char *name)
{
    static char paths[8][512];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, 512, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0700), 0);
}

static void assert_path_frames(struct reading *reading, const char *path, uint32_t count, const int *numbers)
{
    dent_frames *frames;
    assert_true(dent_path_is_series(path));
    open_paths(reading, 1, &path, &frames);
    assert_frames(reading, frames, count, numbers);
    dent_frames_close(frames);
}

static void files_of_a_folder_come_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    make_folder("run");
    static const int numbers[] = {2, 9, 10, 100};
    for (int i = 3; i >= 0; i--) {
        char name[64];
        snprintf(name, sizeof name, "run/shirt %d.obj", numbers[i]);
        put_file(name, triangle(numbers[i]));
    }
    put_file("run/README", "x");
    put_file("run/.shirt 3.obj", "x");
    assert_path_frames(&reading, path_of("run"), 4, numbers);
    assert_non_null(strstr(reading.notices, "1 other file left out, the first is README"));
    assert_path_frames(&reading, path_of("run/"), 4, numbers);
    assert_path_frames(&reading, path_of("run/shirt %d.obj"), 4, numbers);
    assert_path_frames(&reading, path_of("run/shirt *.obj"), 4, numbers);
    assert_path_frames(&reading, path_of("run/*"), 4, numbers);
    assert_path_frames(&reading, path_of("run/shirt ??.obj"), 1, numbers + 2);
    assert_path_frames(&reading, path_of("run/shirt %02d.obj"), 2, numbers + 2);
    /* One by one, in any order. */
    const char *words[] = {path_of("run/shirt 10.obj"), path_of("run/shirt 2.obj")};
    static const int two[] = {2, 10};
    dent_frames *frames;
    open_paths(&reading, 2, words, &frames);
    assert_frames(&reading, frames, 2, two);
    dent_frames_close(frames);
    reading_close(&reading);
}

static void odd_characters_in_names_do_no_harm(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    make_folder("odd %s%n\n*");
    static const int numbers[] = {1, 2};
    put_file("odd %s%n\n*/\xff\n%n'\"; 1.obj", triangle(1));
    put_file("odd %s%n\n*/\xff\n%n'\"; 02.obj", triangle(2));
    assert_path_frames(&reading, path_of("odd %s%n\n*"), 2, numbers);
    assert_path_frames(&reading, path_of("odd %s%n\n*/\xff\n%%n'\"; *"), 0 + 2, numbers);
    /* A file that is called like a pattern is that file. */
    put_file("a*.obj", triangle(5));
    assert_false(dent_path_is_series(path_of("a*.obj")));
    assert_true(dent_path_is_series(path_of("b*.obj")));
    assert_false(dent_path_is_series(path_of("b.obj")));
    assert_false(dent_path_is_series("100%.obj"));
    reading_close(&reading);
}

static void what_is_no_series_is_refused_with_the_culprits(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    make_folder("mixed");
    make_folder("empty");
    put_file("mixed/a_1.obj", triangle(1));
    put_file("mixed/a_01.obj", triangle(1));
    put_file("mixed/b_2.obj", triangle(1));
    put_file("mixed/c.obj", triangle(1));
    static const struct {
        const char *path;
        dent_status status;
        const char *words;
    } cases[] = {
        {"mixed", DENT_ERROR_INVALID_ARGUMENT, "mixed"},
        {"mixed/?_*.obj", DENT_ERROR_INVALID_ARGUMENT, "differ in more than a number"},
        {"mixed/a_*.obj", DENT_ERROR_INVALID_ARGUMENT, "a_1.obj|a_01.obj|the same number"},
        {"mixed/[bc]*.obj", DENT_ERROR_FILE, "no mesh file has such a name"},
        {"mixed/%d_%d.obj", DENT_ERROR_INVALID_ARGUMENT, "more than one %d"},
        {"mix*/a_%d.obj", DENT_ERROR_INVALID_ARGUMENT, "only the last part of a path"},
        {"empty", DENT_ERROR_FILE, "empty: is a directory, and no mesh file is in it"},
        {"absent/a_%d.obj", DENT_ERROR_FILE, "absent|no such file"},
        {"absent.tar", DENT_ERROR_FILE, "absent.tar|no such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = path_of(cases[i].path);
        dent_frames *frames;
        open_paths(&reading, 1, &path, &frames);
        assert_null(frames);
        assert_refused(&reading, cases[i].path, cases[i].status, cases[i].words);
    }
    dent_frames *frames;
    open_paths(&reading, 0, NULL, &frames);
    assert_refused(&reading, "nothing", DENT_ERROR_INVALID_ARGUMENT, "at least one");
    /* A lone file needs no number. */
    static const int zero[] = {0};
    put_file("empty/alone.obj", triangle(0));
    assert_path_frames(&reading, path_of("empty"), 1, zero);
    dent_mesh *mesh = NULL;
    const char *path = path_of("empty");
    open_paths(&reading, 1, &path, &frames);
    reading.status = dent_frame_read(frames, 1, NULL, &mesh);
    dent_context_message(reading.context, reading.message, sizeof reading.message);
    assert_refused(&reading, "beyond the end", DENT_ERROR_INVALID_ARGUMENT, "no frame 1|has 1");
    dent_frames_close(frames);
    reading_close(&reading);
}

/* ---- archives -------------------------------------------------------------------------------------------------- */

static void assert_tar_frames(struct reading *reading, uint32_t count, const int *numbers)
{
    dent_frames *frames;
    open_tar(reading, "a.tar", tar.bytes, tar.size, &frames);
    assert_frames(reading, frames, count, numbers);
    dent_frames_close(frames);
    size_t size = gzip_stored(tar.bytes, tar.size, packed);
    open_tar(reading, "a.tgz", packed, size, &frames);
    if (reading->status == DENT_ERROR_UNSUPPORTED) {
        print_message("SKIPPED gzip: %s\n", reading->message);
        return;
    }
    assert_frames(reading, frames, count, numbers);
    dent_frames_close(frames);
}

static void an_archive_gives_its_frames_in_order(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static const int numbers[] = {1, 2, 10};
    tar_start(&tar);
    tar_pax(&tar, 'g', "comment", "made by hand");
    tar_header(&tar, "run/", '5', 0);
    tar_file(&tar, "run/10.obj", triangle(10));
    tar_file(&tar, "run/2.obj", triangle(2));
    tar_file(&tar, "run/notes.txt", "nothing");
    tar_file(&tar, "run/._2.obj", "another system's");
    tar_header(&tar, "run/link.txt", '2', 0);
    tar_file(&tar, "run/001.obj", triangle(1));
    tar_end(&tar);
    tar_file(&tar, "run/behind.obj", "what is behind the end mark does not count");
    assert_tar_frames(&reading, 3, numbers);
    assert_non_null(strstr(reading.notices, "2 other files left out, the first is run/notes.txt"));
    assert_non_null(strstr(reading.notices, "a.tgz: the frames are not in the order of their numbers"));
    reading_close(&reading);
}

static void long_names_are_read_in_all_their_forms(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    char stem[400], name[420];
    memset(stem, 'n', sizeof stem);
    stem[399] = 0;
    static const int numbers[] = {1, 2, 3};
    /* pax, with the name and the size there, GNU, and pax where the name holds a newline. */
    tar_start(&tar);
    snprintf(name, sizeof name, "%s_1.obj", stem);
    const char *text = triangle(1);
    char size[24];
    snprintf(size, sizeof size, "%zu", strlen(text));
    tar_pax(&tar, 'x', "path", name);
    tar_pax(&tar, 'x', "size", size);
    tar_header(&tar, "short", '0', 0);
    tar_data(&tar, text, strlen(text));
    snprintf(name, sizeof name, "%s_2.obj", stem);
    tar_header(&tar, "././@LongLink", 'L', strlen(name) + 1);
    tar_data(&tar, name, strlen(name) + 1);
    tar_file(&tar, "short", triangle(2));
    snprintf(name, sizeof name, "%s_3.obj", stem);
    tar_pax(&tar, 'x', "path", name);
    tar_file(&tar, "short", triangle(3));
    tar_end(&tar);
    assert_tar_frames(&reading, 3, numbers);
    /* ustar: the front part in a field of its own. GNU keeps other things there. */
    tar_start(&tar);
    uint8_t *header = tar_file(&tar, "7.obj", triangle(1));
    memcpy(header + 345, "front/part", 10);
    tar_sum(header);
    tar_end(&tar);
    dent_frames *frames;
    open_tar(&reading, "a.tar", tar.bytes, tar.size, &frames);
    assert_non_null(frames);
    assert_string_equal(dent_frame_name(frames, 0), "a.tar/front/part/7.obj");
    dent_frames_close(frames);
    memcpy(header + 257, "ustar  ", 8);
    tar_sum(header);
    open_tar(&reading, "a.tar", tar.bytes, tar.size, &frames);
    assert_string_equal(dent_frame_name(frames, 0), "a.tar/7.obj");
    dent_frames_close(frames);
    reading_close(&reading);
}

static void old_headers_signed_sums_and_binary_sizes_are_accepted(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static const int numbers[] = {1, 2};
    tar_start(&tar);
    uint8_t *header = tar_file(&tar, "f1.obj", triangle(1));
    memset(header + 257, 0, 8); /* before ustar */
    header[156] = 0;
    tar_sum(header);
    header = tar_file(&tar, "f2.obj", triangle(2));
    uint64_t size = strlen(triangle(2));
    memset(header + 124, 0, 12);
    header[124] = 0x80;
    header[135] = (uint8_t)size;
    tar_sum(header);
    tar_end(&tar);
    assert_tar_frames(&reading, 2, numbers);
    /* Two bytes above 127, one of them in an unused field, summed as negative. */
    header[500] = 0xff;
    tar_sum(header);
    tar_octal(header + 148, 6, strtoul((char *)header + 148, NULL, 8) - 512);
    assert_tar_frames(&reading, 2, numbers);
    reading_close(&reading);
}

/* Members larger than the buffers in between. */
static void large_members_arrive_whole(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static char text[300000];
    static const int numbers[] = {1, 2};
    tar_start(&tar);
    for (int i = 1; i <= 2; i++) {
        size_t used = (size_t)snprintf(text, sizeof text, "%s", triangle(i));
        memset(text + used, '\n', sizeof text - used - 1);
        text[sizeof text - 1] = 0;
        char name[16];
        snprintf(name, sizeof name, "%d.obj", i);
        tar_file(&tar, name, text);
    }
    tar_end(&tar);
    assert_tar_frames(&reading, 2, numbers);
    reading_close(&reading);
}

static void an_archive_without_its_end_mark_is_read_with_a_notice(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static const int numbers[] = {4};
    tar_start(&tar);
    tar_file(&tar, "4.obj", triangle(4));
    assert_tar_frames(&reading, 1, numbers);
    assert_non_null(strstr(reading.notices, "a.tar: has no end mark"));
    reading_close(&reading);
}

/* ---- broken archives ------------------------------------------------------------------------------------------- */

/* Two right members at bytes 0 and 1024, then a third whose header begins at byte 2048. */
static void start_two(void)
{
    tar_start(&tar);
    tar_file(&tar, "f_1.obj", triangle(1));
    tar_file(&tar, "f_2.obj", triangle(2));
}

static uint8_t *third(char type, uint64_t size)
{
    start_two();
    uint8_t *header = tar_header(&tar, "f_3.obj", type, size);
    return header;
}

static void assert_tar_refused(struct reading *reading, const char *what, dent_status status, const char *words)
{
    dent_frames *frames;
    open_tar(reading, "a.tar", tar.bytes, tar.size, &frames);
    assert_refused(reading, what, status, words);
    assert_memory_equal(reading->message, "a.tar", 5);
    size_t size = gzip_stored(tar.bytes, tar.size, packed);
    open_tar(reading, "a.tar.gz", packed, size, &frames);
    if (reading->status != DENT_ERROR_UNSUPPORTED) {
        assert_refused(reading, what, status, words);
    }
}

static void damaged_headers_are_named_by_member_and_byte(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_status format = DENT_ERROR_FORMAT;
    third('0', 0)[3] ^= 1;
    assert_tar_refused(&reading, "a flipped bit", format, "member 3 at byte 2048|its sum is wrong");
    start_two();
    tar.bytes[0] ^= 1;
    assert_tar_refused(&reading, "the first header", format, "is not a tar archive");
    start_two();
    memset(tar.bytes + tar.size, 'x', 100);
    tar.size += 100;
    assert_tar_refused(&reading, "a piece of a header", format, "member 3 at byte 2048|ends in it");
    uint8_t *header = third('0', 0);
    memcpy(header + 124, "12x45678901", 11);
    tar_sum(header);
    assert_tar_refused(&reading, "letters in the size", format, "member 3 at byte 2048|its size is no number");
    header = third('0', 0);
    memset(header + 124, 0xff, 12);
    tar_sum(header);
    assert_tar_refused(&reading, "a negative size", format, "member 3 at byte 2048|its size is no number");
    header = third('0', 0);
    memset(header, 0, 100);
    tar_sum(header);
    assert_tar_refused(&reading, "no name", format, "member 3 at byte 2048|it has no name");
    third('S', 0);
    assert_tar_refused(&reading, "sparse", format, "member 3 at byte 2048|sparse");
    third('M', 0);
    assert_tar_refused(&reading, "another volume", format, "member 3 at byte 2048|volume");
    reading_close(&reading);
}

static void sizes_that_cannot_be_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const dent_status format = DENT_ERROR_FORMAT;
    third('0', 077777777777u);
    assert_tar_refused(&reading, "8 GiB in octal", format,
                       "cut off: member 'f_3.obj' at byte 2048 has 8589934591 bytes, the archive ends after 0");
    uint8_t *header = third('0', 0);
    memset(header + 124, 0, 12);
    header[124] = 0x80;
    header[128] = 0x7f;
    tar_sum(header);
    assert_tar_refused(&reading, "half the address space", format, "member 'f_3.obj' at byte 2048");
    memset(header + 128, 0xff, 8);
    header[128] = 0x7f;
    tar_sum(header);
    assert_tar_refused(&reading, "2^63 - 1", format,
                       "member 'f_3.obj' at byte 2048: a size of 9223372036854775807 bytes");
    memset(header + 124, 0xff, 12);
    header[124] = 0x80;
    tar_sum(header);
    assert_tar_refused(&reading, "more than 64 bits", format, "its size is no number");
    third('0', 513);
    tar_data(&tar, "v", 1);
    assert_tar_refused(&reading, "one byte too few", format, "has 513 bytes, the archive ends after 512 of them");
    start_two();
    tar_pax(&tar, 'x', "size", "99999999999999");
    tar_file(&tar, "f_3.obj", triangle(3));
    assert_tar_refused(&reading, "absurd in pax", format, "'f_3.obj' at byte 2048 has 99999999999999 bytes");
    /* Every length the archive may be cut to: no crash, no leak, always words. */
    start_two();
    tar_pax(&tar, 'x', "path", "f_3.obj");
    tar_file(&tar, "short", triangle(3));
    tar_end(&tar);
    const size_t length = strlen(triangle(3));
    const size_t data_ends[] = {512 + length, 1024 + 512 + length, 3072 + 512 + length};
    for (size_t size = 0; size < tar.size; size++) {
        dent_frames *frames;
        open_tar(&reading, "a.tar", tar.bytes, size, &frames);
        if (reading.status == DENT_OK) {
            uint32_t whole = dent_frames_count(frames);
            assert_true(size >= data_ends[whole - 1] && (whole == 3 || size <= (size_t)1024 * whole));
            dent_frames_close(frames);
        } else {
            assert_memory_equal(reading.message, "a.tar", 5);
        }
    }
    reading_close(&reading);
}

static void what_is_no_file_is_refused_where_a_frame_was_expected(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static const struct {
        char type;
        const char *words;
    } cases[] = {{'1', "a hard link"}, {'2', "a symbolic link"}, {'3', "a device"}, {'6', "a device"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        third(cases[i].type, 0);
        tar_end(&tar);
        char words[100];
        snprintf(words, sizeof words, "member 'f_3.obj' at byte 2048 is %s, not a file", cases[i].words);
        assert_tar_refused(&reading, cases[i].words, DENT_ERROR_FORMAT, words);
    }
    tar_start(&tar);
    tar_end(&tar);
    assert_tar_refused(&reading, "no members", DENT_ERROR_FILE, "no mesh file is in it");
    tar_start(&tar);
    tar_file(&tar, "a.txt", "x");
    tar_end(&tar);
    assert_tar_refused(&reading, "no meshes", DENT_ERROR_FILE, "no mesh file is in it");
    dent_frames *frames;
    open_tar(&reading, "a.tar", "", 0, &frames);
    assert_refused(&reading, "nothing", DENT_ERROR_FILE, "a.tar: no mesh file is in it");
    reading_close(&reading);
}

static void damaged_extended_headers_are_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
#define LINE(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }
    static const struct {
        const char *text;
        size_t size;
    } lines[] = {
        LINE("5 a=b\n"),
        LINE("7 a=b\n"),
        LINE("6 a b\n"),
        LINE("x a=b\n"),
        LINE(" 6 a=b\n"),
        LINE("99999999999999999999999 a=b\n"),
        LINE("6 a=bx"),
        LINE("0 \n"),
        LINE("3 \n"),
        LINE("6"),
        LINE("8 path=\n"),
        LINE("11 size=1x\n"),
        LINE("12 path=a\0b\n"),
        LINE("22 GNU.sparse.major=1\n"),
        LINE("27 size=9999999999999999999\n"),
        /* Beyond 64 bits by as much as would be right. */
        LINE("18446744073709551643 a=bcd\n"),
        LINE("29 size=18446744073709551648\n"),
        LINE("29 size=18446744073709551617\n"),
    };
#undef LINE
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        start_two();
        tar_header(&tar, "x", 'x', lines[i].size);
        tar_data(&tar, lines[i].text, lines[i].size);
        tar_file(&tar, "f_3.obj", triangle(3));
        tar_end(&tar);
        assert_tar_refused(&reading, lines[i].text, DENT_ERROR_FORMAT, "member 3 at byte 2048");
    }
    start_two();
    tar_header(&tar, "x", 'x', 2 << 20);
    assert_tar_refused(&reading, "two megabytes", DENT_ERROR_FORMAT, "member 3 at byte 2048|more than a megabyte");
    start_two();
    tar_header(&tar, "x", 'L', 1000);
    tar_data(&tar, "name", 5);
    assert_tar_refused(&reading, "cut off", DENT_ERROR_FORMAT, "member 3 at byte 2048|ends in its extended header");
    start_two();
    tar_pax(&tar, 'x', "path", "f_3.obj");
    tar_end(&tar);
    assert_tar_refused(&reading, "nothing follows", DENT_ERROR_FORMAT, "member 3|between a long name and its member");
    reading_close(&reading);
}

static void damaged_packing_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    start_two();
    tar_end(&tar);
    size_t size = gzip_stored(tar.bytes, tar.size, packed);
    dent_frames *frames;
    open_tar(&reading, "a.tgz", packed, size - 9, &frames);
    if (reading.status == DENT_ERROR_UNSUPPORTED) {
        print_message("SKIPPED gzip: %s\n", reading.message);
        reading_close(&reading);
        return;
    }
    assert_refused(&reading, "behind the end mark", DENT_ERROR_FORMAT, "a.tgz: gzip data ends too early");
    packed[size - 6] ^= 1;
    open_tar(&reading, "a.tgz", packed, size, &frames);
    assert_refused(&reading, "another sum", DENT_ERROR_FORMAT, "a.tgz: damaged gzip data");
    open_tar(&reading, "a.tgz", packed, size / 2, &frames);
    assert_refused(&reading, "half of it", DENT_ERROR_FORMAT, "a.tgz: gzip data ends too early");
    open_tar(&reading, "a.tgz", tar.bytes, tar.size, &frames);
    assert_refused(&reading, "not packed", DENT_ERROR_FORMAT, "a.tgz: damaged gzip data");
    open_tar(&reading, "a.txz", tar.bytes, tar.size, &frames);
    assert_true(reading.status == DENT_ERROR_FORMAT || reading.status == DENT_ERROR_UNSUPPORTED);
    open_tar(&reading, "a.tar.xz", "", 0, &frames);
    assert_int_not_equal(reading.status, DENT_OK);
    reading_close(&reading);
}

/* ---- one frame after the other ----------------------------------------------------------------------------------- */

/* Two tetrahedra that share a face, as two bodies, and a third body that crosses them; x moves the third. */
static const char *three_bodies(double x, bool more)
{
    static char text[4][1024];
    static int turn;
    char *at = text[turn++ % 4];
    snprintf(at, 1024,
             "MeshVersionFormatted 2\nDimension 3\nVertices 9\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n"
             "%g 0.1 0.1 0\n%g 0.1 0.1 0\n%g 0.5 0.1 0\n%g 0.1 0.5 0\nTetrahedra %d\n1 2 3 4 1\n2 3 4 5 2\n6 7 8 9 "
             "3\n%sEnd\n",
             x, x + 1, x, x, more ? 4 : 3, more ? "6 7 8 5 3\n" : "");
    return at;
}

static dent_mesh *read_world_mesh(dent_context *context, const char *text)
{
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read_memory(context, "w.mesh", text, strlen(text), NULL, &mesh), DENT_OK);
    assert_int_equal(mesh->body_count, 3);
    return mesh;
}

static uint64_t answer_of(dent_world *world, uint64_t *count)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_FACE_FACE;
    def.touching = true; /* neighbours would touch if they were not tied */
    dent_query_result result;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    *count = result.face_face.count;
    return dent_pair_list_hash(world, DENT_QUESTION_FACE_FACE, &result.face_face);
}

static uint64_t fresh_answer(dent_context *context, const dent_mesh *mesh, uint64_t *count)
{
    dent_world *world = dent_world_create(context);
    dent_body_id ids[3];
    assert_int_equal(dent_mesh_add_to_world(mesh, world, ids), DENT_OK);
    uint64_t hash = answer_of(world, count);
    dent_world_destroy(world);
    return hash;
}

static void the_next_frame_answers_as_a_new_world_would(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    dent_context *context = reading.context;
    dent_mesh *now = read_world_mesh(context, three_bodies(0.3, false));
    dent_world *world = dent_world_create(context);
    dent_body_id ids[3];
    assert_int_equal(dent_mesh_add_to_world(now, world, ids), DENT_OK);
    static const struct {
        double x;
        bool more;
        dent_mesh_change change;
    } steps[] = {{0.2, false, DENT_MESH_SAME_TOPOLOGY},
                 {0.1, true, DENT_MESH_NEW_TOPOLOGY},
                 {0.4, true, DENT_MESH_SAME_TOPOLOGY},
                 {5, true, DENT_MESH_SAME_TOPOLOGY},
                 {0.3, false, DENT_MESH_NEW_TOPOLOGY}};
    uint64_t pairs_seen = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        dent_mesh *next = read_world_mesh(context, three_bodies(steps[i].x, steps[i].more));
        dent_mesh_change change;
        assert_int_equal(dent_mesh_replace_in_world(now, next, world, ids, &change), DENT_OK);
        assert_int_equal(change, steps[i].change);
        dent_mesh_destroy(context, now);
        now = next;
        uint64_t count, fresh_count, hash = answer_of(world, &count);
        assert_true(hash == fresh_answer(context, now, &fresh_count));
        assert_int_equal(count, fresh_count);
        pairs_seen += count;
    }
    assert_true(pairs_seen > 0);
    dent_mesh *other = NULL;
    const char *text = triangle(1);
    assert_int_equal(dent_mesh_read_memory(context, "o.obj", text, strlen(text), NULL, &other), DENT_OK);
    assert_int_equal(dent_mesh_compare(now, other), DENT_MESH_OTHER_BODIES);
    assert_int_equal(dent_mesh_replace_in_world(now, other, world, ids, NULL), DENT_ERROR_INVALID_ARGUMENT);
    uint64_t count, fresh_count;
    assert_true(answer_of(world, &count) == fresh_answer(context, now, &fresh_count));
    dent_mesh_destroy(context, other);
    dent_world_destroy(world);
    dent_mesh_destroy(context, now);
    reading_close(&reading);
}

/* The Nth allocation fails, alone or with all after it: the old bodies stay, or (when there was no memory to put them
 * back) are gone. */
static void a_frame_that_fails_leaves_the_one_before(void **state)
{
    (void)state;
    for (int once = 0; once < 2; once++) {
        for (uint64_t n = 1;; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            dent_mesh *now = read_world_mesh(context, three_bodies(0.3, false));
            dent_mesh *next = read_world_mesh(context, three_bodies(0.1, true));
            dent_world *world = dent_world_create(context);
            dent_body_id ids[3];
            uint64_t count, hash = fresh_answer(context, now, &count);
            assert_int_equal(dent_mesh_add_to_world(now, world, ids), DENT_OK);
            memory.requests = 0;
            memory.fail_once = once;
            memory.fail_at = n;
            dent_status status = dent_mesh_replace_in_world(now, next, world, ids, NULL);
            memory.fail_at = 0;
            if (status != DENT_OK) {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                if (once) {
                    assert_true(dent_world_has_body(world, ids[0]));
                }
                if (dent_world_has_body(world, ids[0])) {
                    assert_true(answer_of(world, &count) == hash);
                } else {
                    assert_int_equal(dent_world_body_count(world), 0);
                }
            }
            dent_world_destroy(world);
            dent_mesh_destroy(context, now);
            dent_mesh_destroy(context, next);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
            if (status == DENT_OK) {
                assert_true(n > 10);
                break;
            }
        }
    }
}

static dent_status open_and_read_all(dent_context *context, size_t size)
{
    dent_frames *frames = NULL;
    dent_status status = dent_frames_open_memory(context, "a.tgz", packed, size, &frames);
    for (uint32_t i = 0; status == DENT_OK && i < dent_frames_count(frames); i++) {
        dent_mesh *mesh = NULL;
        status = dent_frame_read(frames, i, NULL, &mesh);
        dent_mesh_destroy(context, mesh);
    }
    dent_frames_close(frames);
    return status;
}

static void an_archive_is_read_without_memory_to_the_last_byte(void **state)
{
    (void)state;
    start_two();
    tar_pax(&tar, 'x', "path", "f_0003.obj");
    tar_file(&tar, "short", triangle(3));
    tar_end(&tar);
    size_t size = gzip_stored(tar.bytes, tar.size, packed);
    for (uint64_t n = 1;; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = open_and_read_all(context, size);
        char message[200];
        if (status == DENT_ERROR_UNSUPPORTED) {
            dent_context_message(context, message, sizeof message);
            print_message("SKIPPED gzip: %s\n", message);
        } else if (status != DENT_OK) {
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
            assert_true(dent_context_message(context, message, sizeof message) > 0);
        }
        memory.fail_at = 0;
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        if (status == DENT_OK || status == DENT_ERROR_UNSUPPORTED) {
            return;
        }
    }
}

/* ---- the folder ------------------------------------------------------------------------------------------------ */

static int make_test_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_test_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_they_say),
        cmocka_unit_test(the_last_number_of_a_name_counts_and_may_be_large),
        cmocka_unit_test(files_of_a_folder_come_in_the_order_of_their_numbers),
        cmocka_unit_test(odd_characters_in_names_do_no_harm),
        cmocka_unit_test(what_is_no_series_is_refused_with_the_culprits),
        cmocka_unit_test(an_archive_gives_its_frames_in_order),
        cmocka_unit_test(long_names_are_read_in_all_their_forms),
        cmocka_unit_test(old_headers_signed_sums_and_binary_sizes_are_accepted),
        cmocka_unit_test(large_members_arrive_whole),
        cmocka_unit_test(an_archive_without_its_end_mark_is_read_with_a_notice),
        cmocka_unit_test(damaged_headers_are_named_by_member_and_byte),
        cmocka_unit_test(sizes_that_cannot_be_are_refused_before_memory_is_taken),
        cmocka_unit_test(what_is_no_file_is_refused_where_a_frame_was_expected),
        cmocka_unit_test(damaged_extended_headers_are_refused),
        cmocka_unit_test(damaged_packing_is_refused),
        cmocka_unit_test(the_next_frame_answers_as_a_new_world_would),
        cmocka_unit_test(a_frame_that_fails_leaves_the_one_before),
        cmocka_unit_test(an_archive_is_read_without_memory_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
