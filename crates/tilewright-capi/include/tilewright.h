/*
 * Tilewright: CUDA Tile IR in C programs.
 *
 * Reads, parses, verifies, prints and writes modules. Written by cbindgen from the sources of tilewright-capi.
 *
 *   tw_error *error = NULL;
 *   tw_module *module = tw_module_read(bytes, length, &error);
 *   tw_verified *verified = tw_module_verify(&module, &error);
 *   if (verified == NULL) fputs(tw_error_message(error), stderr);
 *
 * Rules that hold for all functions:
 *
 * - Handles are owned by the caller and freed with the function named after them. Freeing NULL does nothing.
 * - Functions that can fail take `error` last. It may be NULL. If it is not, `*error` is NULL after success, and after a
 *   failure an error that the caller frees; what `*error` was before does not matter and is not freed.
 * - A failed function gives NULL, false or 0, and leaves results that it would have written empty.
 * - Every pointer but the one to an error must be valid for what the function does with it; NULL is answered with an error.
 * - Different threads may read one module at the same time. Nothing else is shared, and no function keeps a pointer that it was
 *   given.
 * - Text is UTF-8 and ends in a NUL that its length does not count.
 */

#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Stands for a position that is not known.
 */
#define TW_NONE SIZE_MAX

/**
 * A module that may break rules of the dialect: it can be looked at, printed and verified.
 */
typedef struct tw_module tw_module;

/**
 * Version 13.1, the first public version. Versions are numbers: the major one times 256, plus the minor one.
 */
#define TW_VERSION_13_1 3329

/**
 * Version 13.2.
 */
#define TW_VERSION_13_2 3330

/**
 * Version 13.3.
 */
#define TW_VERSION_13_3 3331

/**
 * Version 13.4.
 */
#define TW_VERSION_13_4 3332

/**
 * Version 13.5.
 */
#define TW_VERSION_13_5 3333

/**
 * The newest version that the library knows.
 */
#define TW_VERSION_LATEST 3333

/**
 * Prints `cuda_tile.module @name { ... }` around everything.
 */
#define TW_PRINT_MODULE 1

/**
 * Prints the generic form of MLIR.
 */
#define TW_PRINT_GENERIC 2

/**
 * Prints source locations.
 */
#define TW_PRINT_DEBUG_INFO 4



/**
 * What a diagnostic is about.
 */
typedef enum {
    /**
     * The caller gave something that cannot be used: NULL, a bad length, an an unknown version.
     */
    TW_ERROR_ARGUMENT = 1,
    /**
     * Bytecode cannot be read.
     */
    TW_ERROR_READ = 2,
    /**
     * Text cannot be parsed.
     */
    TW_ERROR_PARSE = 3,
    /**
     * A module breaks a rule of the dialect.
     */
    TW_ERROR_VERIFY = 4,
    /**
     * A version cannot say what a module says.
     */
    TW_ERROR_WRITE = 5,
    /**
     * A mistake of the library itself.
     */
    TW_ERROR_INTERNAL = 6,
} tw_error_kind;

/**
 * What a function is.
 */
typedef enum {
    /**
     * There is no such function.
     */
    TW_FUNCTION_NONE = 0,
    /**
     * An entry: the host can launch it.
     */
    TW_FUNCTION_ENTRY = 1,
    /**
     * A function that others call.
     */
    TW_FUNCTION_DEVICE = 2,
} tw_function_kind;

/**
 * Why a function failed: one or more diagnostics, in the order of the input.
 */
typedef struct tw_error tw_error;

/**
 * A module that passed verification: it can be written, too.
 */
typedef struct tw_verified tw_verified;

/**
 * Bytes that the caller owns: a file, or text.
 *
 * A NUL that `length` does not count follows the bytes, so that text can be used as a C string. Free it with
 * `tw_buffer_free`, and do not change the fields.
 */
typedef struct {
    /**
     * The bytes; NULL in an empty buffer that owns nothing.
     */
    char *data;
    /**
     * How many bytes there are.
     */
    size_t length;
} tw_buffer;

/**
 * One finding of an error. Its strings belong to the error and live as long as that.
 */
typedef struct {
    /**
     * What it is about.
     */
    tw_error_kind kind;
    /**
     * A stable name: the rule that a module breaks (`operand-type`; `tilewright explain` describes it), the kind of a mistake in
     * a text (`undefined-value`), or `read`, `write`, `argument`, `internal`.
     */
    const char *rule;
    /**
     * What is wrong, in one line.
     */
    const char *message;
    /**
     * The function that it lies in, or NULL.
     */
    const char *function;
    /**
     * The operation that it is about, such as `addi`, or NULL.
     */
    const char *operation;
    /**
     * The position of the operation in its function, counted from 0 in the order of the text, or `TW_NONE`.
     */
    size_t operation_index;
    /**
     * The byte of the input at which it is noticed, or `TW_NONE`.
     */
    size_t offset;
    /**
     * The source file of the operation, where the module knows it, or NULL.
     */
    const char *file;
    /**
     * The line in that file, or in the text that was parsed, from 1; 0 if it is not known.
     */
    size_t line;
    /**
     * The column, from 1; 0 if it is not known.
     */
    size_t column;
} tw_diagnostic;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Frees the bytes of a buffer and makes it empty. Does nothing for NULL and for an empty buffer.
 */
void tw_buffer_free(tw_buffer *buffer);

/**
 * How many diagnostics an error has: at least 1; 0 for NULL. A module with very many errors has more than are kept: the last line of
 * `tw_error_message` says how many.
 */
size_t tw_error_count(const tw_error *error);

/**
 * Everything that an error says, ready to be shown: one diagnostic after the other, errors of a text with their lines. The
 * string belongs to the error. An empty string for NULL.
 */
const char *tw_error_message(const tw_error *error);

/**
 * Gives a diagnostic of an error, counted from 0; false if there is none.
 */
bool tw_error_get(const tw_error *error, size_t index, tw_diagnostic *out);

/**
 * Frees an error, and with it the strings of its diagnostics.
 */
void tw_error_free(tw_error *error);

/**
 * How many functions a module has; 0 for NULL.
 */
size_t tw_function_count(const tw_module *module);

/**
 * What a function is, by its position; `TW_FUNCTION_NONE` if there is none.
 */
tw_function_kind tw_function_get_kind(const tw_module *module, size_t index);

/**
 * Gives the name of a function. Names are bytes; those that are not UTF-8 come as they are.
 */
bool tw_function_name(const tw_module *module, size_t index, tw_buffer *out, tw_error **error);

/**
 * How many parameters a function has; 0 if there is no such function.
 */
size_t tw_function_parameter_count(const tw_module *module, size_t index);

/**
 * Gives the type of a parameter as text, such as `tile<ptr<f32>>`.
 */
bool tw_function_parameter_type(const tw_module *module,
                                size_t index,
                                size_t parameter,
                                tw_buffer *out,
                                tw_error **error);

/**
 * Reads bytecode of any version.
 */
tw_module *tw_module_read(const uint8_t *data, size_t length, tw_error **error);

/**
 * Parses text, in any form that `tw_module_print` prints or people write. `version` is the version that the module is meant for,
 * such as `TW_VERSION_LATEST`: text does not say.
 *
 * The error holds all mistakes of the text, up to a limit.
 */
tw_module *tw_module_parse(const char *text,
                           size_t length,
                           uint32_t version,
                           tw_error **error);

/**
 * Verifies a module. After success the module is part of the result and `*module` is NULL; after a failure nothing has changed,
 * and the error holds the findings, up to a number; beyond it, the message says how many more there are.
 */
tw_verified *tw_module_verify(tw_module **module,
                              tw_error **error);

/**
 * Runs passes on a verified module, which it replaces: `pipeline` is text such as `canonicalize,cse,dce`, or `-O` for the usual passes. The
 * names are those of `tilewright opt`, which `docs/passes.md` explains. After a failure, such as a name that is not known, the module is as
 * it was.
 */
bool tw_module_optimize(tw_verified *module,
                        const char *pipeline,
                        size_t length,
                        tw_error **error);

/**
 * A verified module, to be looked at: it lives as long as `verified`, and is not freed. NULL for NULL.
 */
const tw_module *tw_verified_module(const tw_verified *verified);

/**
 * The version of a module, such as `TW_VERSION_13_4`; 0 for NULL.
 */
uint32_t tw_module_version(const tw_module *module);

/**
 * Prints a module into a buffer. `flags` is 0, for the form of NVIDIA's `tileirdisasm`, or a union of `TW_PRINT_MODULE`,
 * `TW_PRINT_GENERIC` and `TW_PRINT_DEBUG_INFO`.
 */
bool tw_module_print(const tw_module *module,
                     uint32_t flags,
                     tw_buffer *out,
                     tw_error **error);

/**
 * Writes a module as bytecode of a version into a buffer. What the version cannot say is refused: the error names the
 * operation.
 */
bool tw_module_write(const tw_verified *module, uint32_t version, tw_buffer *out, tw_error **error);

/**
 * Frees a module.
 */
void tw_module_free(tw_module *module);

/**
 * Frees a verified module.
 */
void tw_verified_free(tw_verified *verified);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TILEWRIGHT_H */
