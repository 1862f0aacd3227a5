/*
 * Reads a Tile IR file, bytecode or text, lists its kernels, verifies it, prints it, and writes it as bytecode of a version:
 *
 *     convert INPUT VERSION OUTPUT        convert kernel.mlir 13.3 kernel.tilebc
 *
 * Build it with the library and its header:
 *
 *     cargo build --release -p tilewright-capi
 *     cc -std=c99 -Wall -I crates/tilewright-capi/include crates/tilewright-capi/examples/convert.c \
 *        target/release/libtilewright_capi.a -lpthread -ldl -lm -o convert
 */
#include "tilewright.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shows an error, then each of its diagnostics in parts, as an editor would want them. */
static int fail(const char *what, tw_error *error) {
    fprintf(stderr, "%s:\n%s\n", what, tw_error_message(error));
    for (size_t i = 0; i < tw_error_count(error); i++) {
        tw_diagnostic d;
        if (!tw_error_get(error, i, &d)) continue;
        fprintf(stderr, "- %s", d.rule);
        if (d.function != NULL) fprintf(stderr, " in @%s", d.function);
        if (d.operation != NULL) fprintf(stderr, ", operation %zu (%s)", d.operation_index, d.operation);
        if (d.offset != TW_NONE) fprintf(stderr, ", byte %zu", d.offset);
        if (d.line != 0) fprintf(stderr, ", line %zu, column %zu", d.line, d.column);
        fputc('\n', stderr);
    }
    tw_error_free(error);
    return 1;
}

/* The whole content of a file, which the caller frees; NULL where it cannot be read. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *data = NULL;
    size_t capacity = 0;
    *length = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity == 0 ? 4096 : 2 * capacity;
            char *larger = (char *)realloc(data, capacity);
            if (larger == NULL) break;
            data = larger;
        }
        size_t count = fread(data + *length, 1, capacity - *length, file);
        *length += count;
        if (count == 0) {
            int broken = ferror(file);
            fclose(file);
            if (!broken) return data;
            free(data);
            return NULL;
        }
    }
    fclose(file);
    free(data);
    return NULL;
}

static bool write_file(const char *path, const tw_buffer *content) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return false;
    bool written = fwrite(content->data, 1, content->length, file) == content->length;
    return fclose(file) == 0 && written;
}

static void list_functions(const tw_module *module) {
    for (size_t i = 0; i < tw_function_count(module); i++) {
        tw_buffer name;
        if (!tw_function_name(module, i, &name, NULL)) continue;
        printf("%s @%s(", tw_function_get_kind(module, i) == TW_FUNCTION_ENTRY ? "entry" : "function", name.data);
        tw_buffer_free(&name);
        for (size_t p = 0; p < tw_function_parameter_count(module, i); p++) {
            tw_buffer type;
            if (!tw_function_parameter_type(module, i, p, &type, NULL)) continue;
            printf("%s%s", p == 0 ? "" : ", ", type.data);
            tw_buffer_free(&type);
        }
        puts(")");
    }
}

int main(int argc, char **argv) {
    unsigned major, minor;
    if (argc != 4 || sscanf(argv[2], "%u.%u", &major, &minor) != 2) {
        fprintf(stderr, "usage: %s INPUT VERSION OUTPUT\n", argv[0]);
        return 2;
    }
    size_t length;
    char *data = read_file(argv[1], &length);
    if (data == NULL) {
        perror(argv[1]);
        return 2;
    }

    tw_error *error = NULL;
    bool is_bytecode = length >= 7 && memcmp(data, "\177TileIR", 7) == 0;
    tw_module *module = is_bytecode ? tw_module_read((const uint8_t *)data, length, &error)
                                    : tw_module_parse(data, length, TW_VERSION_LATEST, &error);
    free(data);
    if (module == NULL) return fail(argv[1], error);
    printf("version %u.%u\n", tw_module_version(module) >> 8, tw_module_version(module) & 0xff);
    list_functions(module);

    /* From here on the module is part of `verified`. */
    tw_verified *verified = tw_module_verify(&module, &error);
    if (verified == NULL) {
        tw_module_free(module);
        return fail("the module is not valid", error);
    }

    tw_buffer text;
    if (tw_module_print(tw_verified_module(verified), 0, &text, NULL)) {
        fputs(text.data, stdout);
        tw_buffer_free(&text);
    }

    tw_buffer bytecode;
    int status = 0;
    if (!tw_module_write(verified, major << 8 | minor, &bytecode, &error)) {
        status = fail("the module cannot be written", error);
    } else if (!write_file(argv[3], &bytecode)) {
        perror(argv[3]);
        status = 2;
    }
    tw_buffer_free(&bytecode);
    tw_verified_free(verified);
    return status;
}
