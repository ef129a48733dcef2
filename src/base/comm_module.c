/* SPDX-License-Identifier: MIT */
/* comm_module.c: see comm_module.h. Symbols are made global, since Open MPI loads components of its
 * own that expect to find it. A module stays loaded: MPI cannot be started twice. */
#include "base/comm_module.h"
#include "base/comm_module_path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program: in a build it holds the modules too. */
static int folder_of_program(char *folder, size_t n)
{
    const ssize_t length = readlink("/proc/self/exe", folder, n - 1);
    if (length <= 0) return 0;
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (!slash) return 0;
    *slash = 0;
    return 1;
}

static int path_of(const char *library, int place, char *path, size_t n)
{
    char folder[3072];
    int length;
    if (place == 0 && !folder_of_program(folder, sizeof folder)) return 0;
    if (place == 0)
        length = snprintf(path, n, "%s/libfirn_mpi_%s.so", folder, library);
    else
        length = snprintf(path, n, "%s/libfirn_mpi_%s.so", FIRN_MODULES, library);
    return length > 0 && (size_t)length < n && access(path, R_OK) == 0;
}

static int find(const char *library, char *path, size_t n)
{
    return path_of(library, 0, path, n) || path_of(library, 1, path, n);
}

int firn_comm_module_exists(const char *library)
{
    char path[4096];
    return find(library, path, sizeof path);
}

int firn_comm_module_open(const char *library, firn_comm *comm, char *why, size_t n_why)
{
    char path[4096];
    if (!find(library, path, sizeof path)) {
        snprintf(why, n_why,
                 "started by mpirun of %s, but firn was built without it; try: install its "
                 "development package and build firn again, or on one machine: firn run --ranks N",
                 library);
        return 0;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const firn_comm_module *module = handle ? dlsym(handle, "firn_comm_mpi") : NULL;
    if (!module)
        snprintf(why, n_why, "%s: cannot be loaded: %s", path, dlerror());
    else if (module->version != FIRN_COMM_MODULE_VERSION)
        snprintf(why, n_why, "%s: belongs to another version of firn", path);
    else if (!module->open(comm))
        snprintf(why, n_why, "%s: MPI could not be started", module->library);
    else
        return 1;
    return 0;
}
