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

/* The leaf that a pair of bytes describes: its identity, and its text. */
static int leaf_of(PyObject *pair, Form *leaf) {
    PyObject *identity, *text;
    char *start, *words;
    Py_ssize_t length, text_length;
    if (!PyArg_ParseTuple(pair, "SS", &identity, &text)) return NOT_MINE;
    if (PyBytes_AsStringAndSize(identity, &start, &length) || PyBytes_AsStringAndSize(text, &words, &text_length))
        return NOT_MINE;
    if (length > MAX_TEXT || text_length > MAX_TEXT) return PyErr_Format(PyExc_ValueError, "a leaf is too long"), NOT_MINE;
    const char *end = memchr(start, '\0', (size_t)length);
    *leaf = (Form){.identity = start, .length = (int)length, .leaf = end ? (int)(end - start) : (int)length};
    leaf->sign = 1;
    leaf->kind = OPERAND;
    leaf->text = (Span){words, (int)text_length};
    return 0;
}

/* One row: the text of its steps over the leaves that `operands` numbers; a new reference, NULL for an error. */
static PyObject *row_text(const Form *leaves, Py_ssize_t leaf_count, PyObject *operands, const unsigned char *codes,
                          Py_ssize_t width, int sign) {
    char *numbers;
    Py_ssize_t count;
    const Form *chosen[MAX_PLACES];
    if (PyBytes_AsStringAndSize(operands, &numbers, &count)) return NULL;
    if (count < 1 || count - 1 > width || count > MAX_PLACES) Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned char number = (unsigned char)numbers[i];
        if (number >= leaf_count) return PyErr_Format(PyExc_IndexError, "no leaf %d", number), NULL;
        chosen[i] = &leaves[number];
    }
    Arena arena;
    Span text;
    arena_open(&arena);
    int found = text_of_steps(&arena, chosen, (int)count, codes, sign, &text);
    PyObject *made = found ? NULL : PyUnicode_FromStringAndSize(text.start, text.length);
    arena_close(&arena);
    if (made || !found) return made;
    Py_RETURN_NONE;
}

static PyObject *texts(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *pairs, *choices, *made = NULL;
    const char *which, *signs;
    const unsigned char *codes;
    Py_ssize_t which_size, rows, codes_size;
    if (!PyArg_ParseTuple(args, "O!O!y#y#y#", &PyTuple_Type, &pairs, &PyTuple_Type, &choices, &which, &which_size, &codes,
                          &codes_size, &signs, &rows))
        return NULL;
    Py_ssize_t leaf_count = PyTuple_Size(pairs), width = rows ? codes_size / rows / (Py_ssize_t)sizeof(uint16_t) : 0;
    if (which_size != rows * (Py_ssize_t)sizeof(int64_t) || codes_size != rows * width * (Py_ssize_t)sizeof(uint16_t))
        return PyErr_Format(PyExc_ValueError, "columns of different lengths"), NULL;
    Form *leaves = PyMem_Calloc((size_t)leaf_count + 1, sizeof *leaves);
    if (!leaves) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < leaf_count; i++)
        if (leaf_of(PyTuple_GetItem(pairs, i), &leaves[i])) goto done;
    made = PyList_New(rows);
    for (Py_ssize_t row = 0; made && row < rows; row++) {
        int64_t choice;
        memcpy(&choice, which + row * (Py_ssize_t)sizeof choice, sizeof choice);
        PyObject *operands = PyTuple_GetItem(choices, (Py_ssize_t)choice), *text = NULL; /* an index out of range fails */
        if (operands)
            text = row_text(leaves, leaf_count, operands, codes + row * width * (Py_ssize_t)sizeof(uint16_t), width, signs[row]);
        if (!text || PyList_SetItem(made, row, text)) {
            Py_DECREF(made);
            made = NULL;
        }
    }
done:
    PyMem_Free(leaves);
    return made;
}

static PyMethodDef methods[] = {
    {"compare", (PyCFunction)(void (*)(void))compare, METH_FASTCALL, "How two texts compare; -1: not mine."},
    {"form", form, METH_O, "The sign and identity of the canonical form of a text; None: not mine."},
    {"residue", (PyCFunction)(void (*)(void))residue, METH_FASTCALL,
     "The value of a text at a point modulo a prime; -1: a divisor vanishes; None: not mine."},
    {"texts", texts, METH_VARARGS, "The texts of rows of steps, see reaching/texts.py; None where not mine."},
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
