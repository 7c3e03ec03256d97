/*
 * Acta's C ABI over TensorRT's C++ API.
 *
 * trt_shim.cpp implements this header once per family (TensorRT-RTX, TensorRT Enterprise), each time against that
 * family's own NvInfer headers, and each family exports one function: the getter of a function table. Which table is
 * used is decided at run time, by the library that was opened.
 *
 * Rules of the boundary:
 *  - no C++ exception leaves a function: it becomes ACTA_TRT_THREW and a text;
 *  - every call that TensorRT may refuse says so in its answer, and a handle is written only with ACTA_TRT_YES;
 *  - pointers handed to callbacks are valid during that callback only;
 *  - callbacks may come from any thread, and must neither throw nor unwind;
 *  - delete order: parsers go before their network, networks and configs before their builder, the builder before its
 *    monitors, timing caches, error recorder and logger. A timing cache keeps the recorder of the builder that it came
 *    from, so it goes before that. Host memory is free.
 *
 * The header needs <stdint.h> only, so that bindgen can read it without a compiler's own headers.
 */
#ifndef ACTA_TRT_SHIM_H
#define ACTA_TRT_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Families. */
#define ACTA_TRT_RTX 1
#define ACTA_TRT_ENTERPRISE 2

/* Answers. */
#define ACTA_TRT_YES 0
#define ACTA_TRT_NO 1          /* TensorRT said no: false, a null object, a negative index. */
#define ACTA_TRT_UNSUPPORTED 2 /* This family, or this version of it, has no such thing. */
#define ACTA_TRT_THREW 3       /* A C++ exception was caught: see the text. */

/* Integer settings of a builder configuration; `index` is used where one is named. */
#define ACTA_TRT_FLAGS 0
#define ACTA_TRT_OPTIMIZATION_LEVEL 1
#define ACTA_TRT_TACTIC_SOURCES 2
#define ACTA_TRT_MAX_AUX_STREAMS 3
#define ACTA_TRT_HARDWARE_COMPATIBILITY 4
#define ACTA_TRT_PROFILING_VERBOSITY 5
#define ACTA_TRT_AVG_TIMING_ITERATIONS 6
#define ACTA_TRT_MAX_TACTICS 7
#define ACTA_TRT_TILING_LEVEL 8
#define ACTA_TRT_L2_LIMIT 9
#define ACTA_TRT_RUNTIME_PLATFORM 10
#define ACTA_TRT_ENGINE_CAPABILITY 11
#define ACTA_TRT_MEMORY_POOL 12              /* index: pool */
#define ACTA_TRT_PREVIEW_FEATURE 13          /* index: feature */
#define ACTA_TRT_COMPUTE_CAPABILITY_COUNT 14 /* RTX */
#define ACTA_TRT_COMPUTE_CAPABILITY 15       /* RTX; index: position */
#define ACTA_TRT_PROFILE_COUNT 16            /* read only */
#define ACTA_TRT_HAS_TIMING_CACHE 17         /* read only */

/* Text settings of a builder configuration. */
#define ACTA_TRT_BUILD_ROUTE 0
#define ACTA_TRT_ALL_BUILD_ROUTES 1     /* read only */
#define ACTA_TRT_REMOTE_AUTO_TUNING 2   /* Enterprise */

#define ACTA_TRT_TEXT_BYTES 512
#define ACTA_TRT_MAX_DIMS 8

/* What a caught exception said; NUL-terminated, cut if long. */
typedef struct acta_trt_text {
    char bytes[ACTA_TRT_TEXT_BYTES];
} acta_trt_text;

typedef struct acta_trt_version {
    int32_t family;
    int32_t major;
    int32_t minor;
    int32_t patch;
    int32_t build;
} acta_trt_version;

typedef struct acta_trt_dims {
    int32_t count; /* -1: unknown rank */
    int64_t sizes[ACTA_TRT_MAX_DIMS];
} acta_trt_dims;

typedef struct acta_trt_tensor {
    const char *name; /* valid while the network is not changed */
    int32_t data_type;
    int32_t is_shape_tensor;
    acta_trt_dims dims;
} acta_trt_tensor;

/* One parser error; the strings are valid until the parser is destroyed, and may be null. */
typedef struct acta_trt_parser_error {
    int32_t code;
    const char *description;
    const char *file;
    int32_t line;
    const char *function;
    int32_t node;
    const char *node_name;
    const char *node_operator;
    const char *const *function_stack;
    int32_t function_stack_size;
} acta_trt_parser_error;

typedef struct acta_trt_cache_key {
    uint8_t bytes[16];
} acta_trt_cache_key;

typedef struct acta_trt_cache_value {
    uint64_t tactic_hash;
    float milliseconds;
} acta_trt_cache_value;

/* Callbacks. `step_complete` answers 0 to end the build. */
typedef void (*acta_trt_log_fn)(void *context, int32_t severity, const char *message);
typedef void (*acta_trt_error_fn)(void *context, int32_t code, const char *message);
typedef struct acta_trt_monitor_calls {
    void *context;
    void (*phase_start)(void *context, const char *name, const char *parent, int32_t steps);
    int32_t (*step_complete)(void *context, const char *name, int32_t step);
    void (*phase_finish)(void *context, const char *name);
} acta_trt_monitor_calls;

/* Handles. */
typedef struct acta_trt_logger acta_trt_logger;
typedef struct acta_trt_recorder acta_trt_recorder;
typedef struct acta_trt_monitor acta_trt_monitor;
typedef struct acta_trt_builder acta_trt_builder;
typedef struct acta_trt_network acta_trt_network;
typedef struct acta_trt_parser acta_trt_parser;
typedef struct acta_trt_profile acta_trt_profile; /* owned by its builder */
typedef struct acta_trt_config acta_trt_config;
typedef struct acta_trt_cache acta_trt_cache;
typedef struct acta_trt_memory acta_trt_memory;

typedef struct acta_trt_api {
    /* The headers that this table was compiled with. */
    acta_trt_version headers;

    /* The file that holds `symbol`, as the loader knows it. */
    int32_t (*locate)(const void *symbol, char *path, uint64_t capacity);

    int32_t (*logger_create)(acta_trt_log_fn log, void *context, acta_trt_logger **made, acta_trt_text *text);

    int32_t (*recorder_create)(acta_trt_error_fn error, void *context, acta_trt_recorder **made, acta_trt_text *text);
    void (*recorder_destroy)(acta_trt_recorder *recorder);

    int32_t (*monitor_create)(const acta_trt_monitor_calls *calls, acta_trt_monitor **made, acta_trt_text *text);
    void (*monitor_destroy)(acta_trt_monitor *monitor);

    /* `entry` is the library's createInferBuilder_INTERNAL. */
    int32_t (*builder_create)(void *entry, acta_trt_logger *logger, acta_trt_recorder *recorder,
                              acta_trt_builder **made, acta_trt_text *text);
    void (*builder_destroy)(acta_trt_builder *builder);
    int32_t (*builder_set_max_threads)(acta_trt_builder *builder, int32_t threads, acta_trt_text *text);
    int32_t (*builder_max_threads)(acta_trt_builder *builder, int32_t *threads, acta_trt_text *text);
    int32_t (*builder_build)(acta_trt_builder *builder, acta_trt_network *network, acta_trt_config *config,
                             acta_trt_memory **made, acta_trt_text *text);

    int32_t (*network_create)(acta_trt_builder *builder, uint32_t flags, acta_trt_network **made,
                              acta_trt_text *text);
    void (*network_destroy)(acta_trt_network *network);
    int32_t (*network_counts)(acta_trt_network *network, int32_t *layers, int32_t *inputs, int32_t *outputs,
                              acta_trt_text *text);
    int32_t (*network_flags)(acta_trt_network *network, uint32_t *flags, acta_trt_text *text);
    int32_t (*network_tensor)(acta_trt_network *network, int32_t output, int32_t index, acta_trt_tensor *tensor,
                              acta_trt_text *text);

    /* `entry` is the parser library's createNvOnnxParser_INTERNAL. The parser holds the weights that the network
     * refers to: it stays until the last build of that network. */
    int32_t (*parser_create)(void *entry, acta_trt_logger *logger, acta_trt_network *network, acta_trt_parser **made,
                             acta_trt_text *text);
    void (*parser_destroy)(acta_trt_parser *parser);
    int32_t (*parser_parse)(acta_trt_parser *parser, const void *model, uint64_t size, const char *path,
                            acta_trt_text *text);
    int32_t (*parser_error_count)(acta_trt_parser *parser, int32_t *count, acta_trt_text *text);
    int32_t (*parser_error)(acta_trt_parser *parser, int32_t index, acta_trt_parser_error *error,
                            acta_trt_text *text);

    int32_t (*profile_create)(acta_trt_builder *builder, acta_trt_profile **made, acta_trt_text *text);
    int32_t (*profile_set_dims)(acta_trt_profile *profile, const char *input, int32_t selector,
                                const acta_trt_dims *dims, acta_trt_text *text);
    int32_t (*profile_set_values)(acta_trt_profile *profile, const char *input, int32_t selector,
                                  const int64_t *values, int32_t count, acta_trt_text *text);
    int32_t (*profile_is_valid)(acta_trt_profile *profile, acta_trt_text *text);

    int32_t (*config_create)(acta_trt_builder *builder, acta_trt_config **made, acta_trt_text *text);
    void (*config_destroy)(acta_trt_config *config);
    int32_t (*config_set)(acta_trt_config *config, int32_t setting, int32_t index, int64_t value,
                          acta_trt_text *text);
    int32_t (*config_get)(acta_trt_config *config, int32_t setting, int32_t index, int64_t *value,
                          acta_trt_text *text);
    int32_t (*config_set_text)(acta_trt_config *config, int32_t setting, const char *value, acta_trt_text *text);
    /* The text belongs to the config, until its next change; null if there is none. */
    int32_t (*config_get_text)(acta_trt_config *config, int32_t setting, const char **value, acta_trt_text *text);
    int32_t (*config_add_profile)(acta_trt_config *config, acta_trt_profile *profile, int32_t *index,
                                  acta_trt_text *text);
    /* A null monitor detaches. */
    int32_t (*config_set_monitor)(acta_trt_config *config, acta_trt_monitor *monitor, acta_trt_text *text);
    int32_t (*config_set_cache)(acta_trt_config *config, acta_trt_cache *cache, int32_t ignore_mismatch,
                                acta_trt_text *text);

    int32_t (*cache_create)(acta_trt_config *config, const void *blob, uint64_t size, acta_trt_cache **made,
                            acta_trt_text *text);
    void (*cache_destroy)(acta_trt_cache *cache);
    int32_t (*cache_serialize)(acta_trt_cache *cache, acta_trt_memory **made, acta_trt_text *text);
    int32_t (*cache_combine)(acta_trt_cache *cache, acta_trt_cache *other, int32_t ignore_mismatch,
                             acta_trt_text *text);
    /* Writes at most `capacity` keys and the number that there are. */
    int32_t (*cache_keys)(acta_trt_cache *cache, acta_trt_cache_key *keys, int64_t capacity, int64_t *count,
                          acta_trt_text *text);
    int32_t (*cache_query)(acta_trt_cache *cache, const acta_trt_cache_key *key, acta_trt_cache_value *value,
                           acta_trt_text *text);

    const void *(*memory_data)(acta_trt_memory *memory);
    uint64_t (*memory_size)(acta_trt_memory *memory);
    void (*memory_destroy)(acta_trt_memory *memory);
} acta_trt_api;

const acta_trt_api *acta_trt_rtx(void);
const acta_trt_api *acta_trt_enterprise(void);

#ifdef __cplusplus
}
#endif

#endif
