/* Brings the recorder into a program that is not Python's: loaded before the program's own libraries, it starts an
 * interpreter once a library of GL is there, and lets it end the trace when the program ends. Written out and compiled
 * when it is needed; see capture/native/preload.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_ready, begun, is_up, ended;
static void *python;
static int held;
static void *(*load)(const char *, int);

/* A function of Python's C API. */
#define PYTHON(result, name, ...) ((result(*)(__VA_ARGS__))dlsym(python, #name))

static void say(const char *text)
{
    if (write(2, "gpucapture: ", 12) < 0 || write(2, text, strlen(text)) < 0 || write(2, "\n", 1) < 0)
        return;
}

static int run(const char *code)
{
    int state = PYTHON(int, PyGILState_Ensure, void)();
    int failed = PYTHON(int, PyRun_SimpleString, const char *)(code);
    PYTHON(void, PyGILState_Release, int)(state);
    return failed;
}

static void end(int status, void *unused)
{
    char code[64] = "from capture.embedded import end; end(";
    char digits[4] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10), (char)('0' + status % 10), 0};
    const char *number = digits;
    (void)unused;
    if (!is_up || __atomic_exchange_n(&ended, 1, __ATOMIC_SEQ_CST))
        return;
    while (*number == '0' && number[1])
        number++;
    strcat(strcat(code, number), ")");
    run(code);
}

/* What Python's own fork does before and after it. */
static void before_fork(void)
{
    if (!is_up)
        return;
    held = PYTHON(int, PyGILState_Ensure, void)();
    PYTHON(void, PyOS_BeforeFork, void)();
}

static void after_fork_in_parent(void)
{
    if (!is_up)
        return;
    PYTHON(void, PyOS_AfterFork_Parent, void)();
    PYTHON(void, PyGILState_Release, int)(held);
}

static void after_fork_in_child(void)
{
    if (!is_up)
        return;
    PYTHON(void, PyOS_AfterFork_Child, void)();
    PYTHON(void, PyGILState_Release, int)(held);
}

static void begin(void)
{
    const char *library = getenv("GPUCAPTURE_PYTHON"), *home = getenv("GPUCAPTURE_HOME"), *code = getenv("GPUCAPTURE_CODE");
    char *before = getenv("PYTHONHOME"), *locale;
    if (!library || !home || !code || __atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST))
        return;
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
        say("the program has an interpreter of Python of its own: it is not recorded");
        return;
    }
    python = load(library, RTLD_NOW | RTLD_GLOBAL);
    if (!python) {
        say(dlerror());
        return;
    }
    before = before ? strdup(before) : NULL;
    locale = strdup(setlocale(LC_CTYPE, NULL));
    setenv("PYTHONHOME", home, 1);
    PYTHON(void, Py_InitializeEx, int)(0);
    if (before)
        setenv("PYTHONHOME", before, 1);
    else
        unsetenv("PYTHONHOME");
    setlocale(LC_CTYPE, locale);
    free(locale);
    free(before);
    is_up = PYTHON(int, PyRun_SimpleString, const char *)(code) == 0;
    PYTHON(void *, PyEval_SaveThread, void)();
    if (is_up) {
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        on_exit(end, NULL);
    }
}

static int names_gl(const char *path)
{
    static const char *const stems[] = {"libGL.", "libEGL.", "libGLX.", "libOpenGL.", "libGLESv2.", "libGLESv3."};
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (!strncmp(name, stems[i], strlen(stems[i])))
            return 1;
    return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(int *)found |= info->dlpi_name && names_gl(info->dlpi_name);
    return 0;
}

static int has_gl(void)
{
    int found = 0;
    dl_iterate_phdr(visit, &found);
    return found;
}

static void find(void)
{
    load = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
}

/* Runs once the libraries that the program is linked with are ready: GL's own load others while they are not. */
__attribute__((constructor)) static void look(void)
{
    find();
    is_ready = 1;
    if (has_gl())
        begin();
}

/* The linker looks where its caller's file says: calls go on by a jump, but for names with a path. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int mode)
{
    int is_waiting = is_ready && !begun && name;
    if (!load)
        find();
    if (is_waiting && names_gl(name)) {
        begin();
    } else if (is_waiting && strchr(name, '/')) {
        void *handle = load(name, mode);
        if (handle && has_gl())
            begin();
        return handle;
    }
    return load(name, mode);
}

__attribute__((visibility("default"), noreturn)) void _exit(int status)
{
    end(status & 255, NULL);
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status)
{
    _exit(status);
}
