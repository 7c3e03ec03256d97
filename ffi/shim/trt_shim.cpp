// Implements trt_shim.h for one family. Compiled once per family, against that family's headers, with
//   -Dnvinfer1=<family's namespace> -Dnvonnxparser=<family's namespace>  (both families live in one binary)
//   -DACTA_TRT_GETTER=<the exported getter>
// Everything but the getter has internal linkage: nothing of one family can be taken for the other's.

#include "boundary.hpp"
#include "settings.hpp"
#include "trt_shim.h"

#include <cstring>
#include <dlfcn.h>

namespace
{

#ifdef TRT_MAJOR_RTX
constexpr int32_t kFAMILY = ACTA_TRT_RTX;
#else
constexpr int32_t kFAMILY = ACTA_TRT_ENTERPRISE;
#endif

// ---- logger, recorder, monitor, builder

int32_t locate(void const* symbol, char* path, uint64_t capacity) noexcept
{
    Dl_info info{};
    if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr)
    {
        return ACTA_TRT_NO;
    }
    size_t const length = std::strlen(info.dli_fname);
    if (length >= capacity)
    {
        return ACTA_TRT_NO;
    }
    std::memcpy(path, info.dli_fname, length + 1);
    return ACTA_TRT_YES;
}

int32_t logger_create(acta_trt_log_fn log, void* context, acta_trt_logger** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, new Logger(log, context)); });
}

int32_t recorder_create(
    acta_trt_error_fn error, void* context, acta_trt_recorder** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, new Recorder(error, context)); });
}

void recorder_destroy(acta_trt_recorder* recorder) noexcept
{
    guarded([&] { delete &of(recorder); });
}

int32_t monitor_create(acta_trt_monitor_calls const* calls, acta_trt_monitor** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, new Monitor(*calls)); });
}

void monitor_destroy(acta_trt_monitor* monitor) noexcept
{
    guarded([&] { delete of(monitor); });
}

int32_t builder_create(void* entry, acta_trt_logger* logger, acta_trt_recorder* recorder, acta_trt_builder** made,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        using Create = void* (*) (void*, int32_t);
        auto const create = reinterpret_cast<Create>(entry);
        ILogger* const base = &of(logger);
        auto* const builder = static_cast<IBuilder*>(create(base, NV_TENSORRT_VERSION));
        if (builder != nullptr)
        {
            builder->setErrorRecorder(&of(recorder));
        }
        return hand_out(made, builder);
    });
}

void builder_destroy(acta_trt_builder* builder) noexcept
{
    guarded([&] { delete &of(builder); });
}

int32_t builder_set_max_threads(acta_trt_builder* builder, int32_t threads, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(builder).setMaxThreads(threads)); });
}

int32_t builder_max_threads(acta_trt_builder* builder, int32_t* threads, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *threads = of(builder).getMaxThreads();
        return ACTA_TRT_YES;
    });
}

int32_t builder_build(acta_trt_builder* builder, acta_trt_network* network, acta_trt_config* config,
    acta_trt_memory** made, acta_trt_text* text) noexcept
{
    return guarded(text,
        [&] { return hand_out(made, of(builder).buildSerializedNetwork(of(network), of(config))); });
}

// ---- network and parser

int32_t network_create(
    acta_trt_builder* builder, uint32_t flags, acta_trt_network** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(builder).createNetworkV2(flags)); });
}

void network_destroy(acta_trt_network* network) noexcept
{
    guarded([&] { delete &of(network); });
}

int32_t network_counts(
    acta_trt_network* network, int32_t* layers, int32_t* inputs, int32_t* outputs, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *layers = of(network).getNbLayers();
        *inputs = of(network).getNbInputs();
        *outputs = of(network).getNbOutputs();
        return ACTA_TRT_YES;
    });
}

int32_t network_flags(acta_trt_network* network, uint32_t* flags, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *flags = of(network).getFlags();
        return ACTA_TRT_YES;
    });
}

int32_t network_tensor(acta_trt_network* network, int32_t output, int32_t index, acta_trt_tensor* tensor,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        ITensor* const found = output != 0 ? of(network).getOutput(index) : of(network).getInput(index);
        if (found == nullptr)
        {
            return ACTA_TRT_NO;
        }
        tensor->name = found->getName();
        tensor->data_type = static_cast<int32_t>(found->getType());
        tensor->is_shape_tensor = found->isShapeTensor() ? 1 : 0;
        tensor->dims = dims_out(found->getDimensions());
        return ACTA_TRT_YES;
    });
}

int32_t parser_create(void* entry, acta_trt_logger* logger, acta_trt_network* network, acta_trt_parser** made,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        using Create = void* (*) (void*, void*, int32_t);
        auto const create = reinterpret_cast<Create>(entry);
        ILogger* const base = &of(logger);
        return hand_out(
            made, static_cast<nvonnxparser::IParser*>(create(&of(network), base, NV_ONNX_PARSER_VERSION)));
    });
}

void parser_destroy(acta_trt_parser* parser) noexcept
{
    guarded([&] { delete &of(parser); });
}

int32_t parser_parse(
    acta_trt_parser* parser, void const* model, uint64_t size, char const* path, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(parser).parse(model, size, path)); });
}

int32_t parser_error_count(acta_trt_parser* parser, int32_t* count, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *count = of(parser).getNbErrors();
        return ACTA_TRT_YES;
    });
}

int32_t parser_error(
    acta_trt_parser* parser, int32_t index, acta_trt_parser_error* error, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        nvonnxparser::IParserError const* const found = of(parser).getError(index);
        if (found == nullptr)
        {
            return ACTA_TRT_NO;
        }
        error->code = static_cast<int32_t>(found->code());
        error->description = found->desc();
        error->file = found->file();
        error->line = found->line();
        error->function = found->func();
        error->node = found->node();
        error->node_name = found->nodeName();
        error->node_operator = found->nodeOperator();
        error->function_stack = found->localFunctionStack();
        error->function_stack_size = found->localFunctionStackSize();
        return ACTA_TRT_YES;
    });
}

// ---- optimization profiles

int32_t profile_create(acta_trt_builder* builder, acta_trt_profile** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(builder).createOptimizationProfile()); });
}

int32_t profile_set_dims(acta_trt_profile* profile, char const* input, int32_t selector, acta_trt_dims const* dims,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        auto const which = static_cast<OptProfileSelector>(selector);
        return answer(of(profile).setDimensions(input, which, dims_in(*dims)));
    });
}

int32_t profile_set_values(acta_trt_profile* profile, char const* input, int32_t selector, int64_t const* values,
    int32_t count, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        auto const which = static_cast<OptProfileSelector>(selector);
        return answer(of(profile).setShapeValuesV2(input, which, values, count));
    });
}

int32_t profile_is_valid(acta_trt_profile* profile, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(profile).isValid()); });
}

// ---- builder configuration

int32_t config_create(acta_trt_builder* builder, acta_trt_config** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(builder).createBuilderConfig()); });
}

void config_destroy(acta_trt_config* config) noexcept
{
    guarded([&] { delete &of(config); });
}

int32_t config_set(
    acta_trt_config* config, int32_t setting, int32_t index, int64_t value, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return set_integer(of(config), setting, index, value); });
}

int32_t config_get(
    acta_trt_config* config, int32_t setting, int32_t index, int64_t* value, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return get_integer(of(config), setting, index, *value); });
}

int32_t config_set_text(acta_trt_config* config, int32_t setting, char const* value, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        switch (setting)
        {
        case ACTA_TRT_BUILD_ROUTE: return set_route(of(config), value, 0);
        case ACTA_TRT_REMOTE_AUTO_TUNING: return set_remote(of(config), value, 0);
        default: return int32_t{ACTA_TRT_UNSUPPORTED};
        }
    });
}

int32_t config_get_text(
    acta_trt_config* config, int32_t setting, char const** value, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        switch (setting)
        {
        case ACTA_TRT_BUILD_ROUTE: return get_route(of(config), false, value, 0);
        case ACTA_TRT_ALL_BUILD_ROUTES: return get_route(of(config), true, value, 0);
        case ACTA_TRT_REMOTE_AUTO_TUNING: return get_remote(of(config), value, 0);
        default: return int32_t{ACTA_TRT_UNSUPPORTED};
        }
    });
}

int32_t config_add_profile(
    acta_trt_config* config, acta_trt_profile* profile, int32_t* index, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *index = of(config).addOptimizationProfile(&of(profile));
        return answer(*index >= 0);
    });
}

int32_t config_set_monitor(acta_trt_config* config, acta_trt_monitor* monitor, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        IProgressMonitor* const base = of(monitor);
        of(config).setProgressMonitor(base);
        return answer(of(config).getProgressMonitor() == base);
    });
}

int32_t config_set_cache(
    acta_trt_config* config, acta_trt_cache* cache, int32_t ignore_mismatch, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(config).setTimingCache(of(cache), ignore_mismatch != 0)); });
}

// ---- timing cache

int32_t cache_create(acta_trt_config* config, void const* blob, uint64_t size, acta_trt_cache** made,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(config).createTimingCache(blob, size)); });
}

void cache_destroy(acta_trt_cache* cache) noexcept
{
    guarded([&] { delete &of(cache); });
}

int32_t cache_serialize(acta_trt_cache* cache, acta_trt_memory** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(cache).serialize()); });
}

int32_t cache_combine(
    acta_trt_cache* cache, acta_trt_cache* other, int32_t ignore_mismatch, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(cache).combine(of(other), ignore_mismatch != 0)); });
}

int32_t cache_keys(acta_trt_cache* cache, acta_trt_cache_key* keys, int64_t capacity, int64_t* count,
    acta_trt_text* text) noexcept
{
    static_assert(sizeof(acta_trt_cache_key) == sizeof(TimingCacheKey));
    return guarded(text, [&] {
        *count = of(cache).queryKeys(reinterpret_cast<TimingCacheKey*>(keys), capacity);
        return answer(*count >= 0);
    });
}

int32_t cache_query(acta_trt_cache* cache, acta_trt_cache_key const* key, acta_trt_cache_value* value,
    acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        TimingCacheKey asked{};
        std::memcpy(asked.data, key->bytes, sizeof asked.data);
        TimingCacheValue const found = of(cache).query(asked);
        value->tactic_hash = found.tacticHash;
        value->milliseconds = found.timingMSec;
        return ACTA_TRT_YES;
    });
}

// ---- host memory

void const* memory_data(acta_trt_memory* memory) noexcept
{
    return of(memory).data();
}

uint64_t memory_size(acta_trt_memory* memory) noexcept
{
    return of(memory).size();
}

void memory_destroy(acta_trt_memory* memory) noexcept
{
    guarded([&] { delete &of(memory); });
}

constexpr acta_trt_api kAPI{
    {kFAMILY, NV_TENSORRT_MAJOR, NV_TENSORRT_MINOR, NV_TENSORRT_PATCH, NV_TENSORRT_BUILD},
    locate,
    logger_create,
    recorder_create,
    recorder_destroy,
    monitor_create,
    monitor_destroy,
    builder_create,
    builder_destroy,
    builder_set_max_threads,
    builder_max_threads,
    builder_build,
    network_create,
    network_destroy,
    network_counts,
    network_flags,
    network_tensor,
    parser_create,
    parser_destroy,
    parser_parse,
    parser_error_count,
    parser_error,
    profile_create,
    profile_set_dims,
    profile_set_values,
    profile_is_valid,
    config_create,
    config_destroy,
    config_set,
    config_get,
    config_set_text,
    config_get_text,
    config_add_profile,
    config_set_monitor,
    config_set_cache,
    cache_create,
    cache_destroy,
    cache_serialize,
    cache_combine,
    cache_keys,
    cache_query,
    memory_data,
    memory_size,
    memory_destroy,
};

} // namespace

extern "C" __attribute__((visibility("default"))) acta_trt_api const* ACTA_TRT_GETTER(void)
{
    return &kAPI;
}
