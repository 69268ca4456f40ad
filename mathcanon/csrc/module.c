/* The Python module mathcanon._core: each function returns None (or NOT_MINE) where the Python code has to answer. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core.h"

#include <string.h>

/* The characters of a str; 0 if it may be plain text, else NOT_MINE.  They live as long as the str. */
static int characters_of(PyObject *object, const char **text, int *length) {
    if (!PyUnicode_Check(object) || PyUnicode_GetLength(object) > MAX_TEXT) return NOT_MINE;
    Py_ssize_t size;
    *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!*text) { /* lone surrogates */
        PyErr_Clear();
        return NOT_MINE;
    }
    *length = (int)size; /* at most four times MAX_TEXT */
    return 0;
}

static PyObject *compare(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    const char *left, *right;
    int left_length, right_length;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "compare takes two texts"), NULL;
    if (characters_of(args[0], &left, &left_length) || characters_of(args[1], &right, &right_length))
        return PyLong_FromLong(NOT_MINE);
    return PyLong_FromLong(compare_texts(left, left_length, right, right_length));
}

static PyObject *form(PyObject *module, PyObject *object) {
    (void)module;
    const char *text;
    int length;
    if (characters_of(object, &text, &length)) Py_RETURN_NONE;
    PyObject *made = NULL;
    Arena arena;
    Tree tree;
    arena_open(&arena);
    if (!read_text(&arena, text, length, &tree)) {
        const Form *found = canonical_form(&arena, &tree);
        char *out = found ? arena_take(&arena, (size_t)found->length + 2, 1) : NULL;
        if (out) {
            int written = 0;
            if (found->sign < 0) out[written++] = '-';
            out[written++] = found->sign ? '1' : '0';
            memcpy(out + written, found->identity, (size_t)found->length);
            made = PyUnicode_FromStringAndSize(out, written + found->length);
            if (!made) {
                arena_close(&arena);
                return NULL;
            }
        }
    }
    arena_close(&arena);
    if (made) return made;
    Py_RETURN_NONE;
}

/* The value of an operand at the secret point, which Python keeps in a dict. */
static int secret_point(void *context, const char *name, int length, uint64_t *value) {
    PyObject *key = PyUnicode_FromStringAndSize(name, length);
    if (!key) return NOT_MINE;
    PyObject *found = PyObject_GetItem((PyObject *)context, key);
    Py_DECREF(key);
    if (!found) return NOT_MINE;
    *value = PyLong_AsUnsignedLongLong(found);
    Py_DECREF(found);
    return PyErr_Occurred() ? NOT_MINE : 0;
}

static PyObject *residue(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    const char *text;
    int length;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "residue takes a text, a prime and a point"), NULL;
    uint64_t prime = PyLong_AsUnsignedLongLong(args[1]);
    if (PyErr_Occurred()) return NULL;
    if (prime < 2 || prime >> 63) return PyErr_Format(PyExc_ValueError, "the prime is out of range"), NULL;
    if (characters_of(args[0], &text, &length)) Py_RETURN_NONE;
    Arena arena;
    Tree tree;
    uint64_t above, below;
    int found = NOT_MINE;
    arena_open(&arena);
    if (!read_text(&arena, text, length, &tree))
        found = residue_of(&arena, &tree, prime, secret_point, args[2], &above, &below);
    arena_close(&arena);
    if (PyErr_Occurred()) return NULL;
    if (found == NOT_MINE) Py_RETURN_NONE;
    if (found == ZERO_DIVISOR) return PyLong_FromLong(-1);
    if (below != 1) above = times_modulo(above, inverse_modulo(below, prime), prime);
    return PyLong_FromUnsignedLongLong(above);
}

static PyMethodDef methods[] = {
    {"compare", (PyCFunction)(void (*)(void))compare, METH_FASTCALL, "How two texts compare; -1: not mine."},
    {"form", form, METH_O, "The sign and identity of the canonical form of a text; None: not mine."},
    {"residue", (PyCFunction)(void (*)(void))residue, METH_FASTCALL,
     "The value of a text at a point modulo a prime; -1: a divisor vanishes; None: not mine."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", "The compiled core of mathcanon; see mathcanon/csrc/core.h.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
