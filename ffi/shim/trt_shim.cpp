// Implements trt_shim.h for one family. Compiled once per family, against that family's headers, with
//   -Dnvinfer1=<family's namespace> -Dnvonnxparser=<family's namespace>  (both families live in one binary)
//   -DACTA_TRT_GETTER=<the exported getter>
// Everything but the getter has internal linkage. Handles are this file's or TensorRT's own pointers, renamed.

#include "trt_shim.h"

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <memory>

namespace
{

using namespace nvinfer1;

#ifdef TRT_MAJOR_RTX
constexpr int32_t kFAMILY = ACTA_TRT_RTX;
#else
constexpr int32_t kFAMILY = ACTA_TRT_ENTERPRISE;
#endif

// ---- exceptions and answers

void note(acta_trt_text* text, char const* what) noexcept
{
    if (text != nullptr)
    {
        std::snprintf(text->bytes, sizeof text->bytes, "%s", what == nullptr ? "" : what);
    }
}

template <class Body>
int32_t guarded(acta_trt_text* text, Body body) noexcept
{
    try
    {
        return body();
    }
    catch (std::exception const& thrown)
    {
        note(text, thrown.what());
    }
    catch (...)
    {
        note(text, "an exception that is no std::exception");
    }
    return ACTA_TRT_THREW;
}

template <class Body>
void guarded(Body body) noexcept
{
    guarded(nullptr, [&] {
        body();
        return ACTA_TRT_YES;
    });
}

int32_t answer(bool yes) noexcept
{
    return yes ? ACTA_TRT_YES : ACTA_TRT_NO;
}

template <class Handle, class Object>
int32_t hand_out(Handle** made, Object* object) noexcept
{
    *made = reinterpret_cast<Handle*>(object);
    return answer(object != nullptr);
}

// ---- what TensorRT calls

class Logger final : public ILogger
{
public:
    Logger(acta_trt_log_fn call, void* context)
        : mCall(call)
        , mContext(context)
    {
    }
    void log(Severity severity, AsciiChar const* message) noexcept override
    {
        mCall(mContext, static_cast<int32_t>(severity), message);
    }

private:
    acta_trt_log_fn mCall;
    void* mContext;
};

// Passes every error on, and keeps the first ones for TensorRT's own questions. No lock, no allocation.
class Recorder final : public IErrorRecorder
{
public:
    Recorder(acta_trt_error_fn call, void* context)
        : mCall(call)
        , mContext(context)
    {
    }
    int32_t getNbErrors() const noexcept override
    {
        uint32_t const reported = mReported.load();
        return static_cast<int32_t>(reported < mKept.size() ? reported : mKept.size());
    }
    ErrorCode getErrorCode(int32_t index) const noexcept override
    {
        Kept const* const kept = at(index);
        return kept == nullptr ? ErrorCode::kINVALID_ARGUMENT : kept->code;
    }
    ErrorDesc getErrorDesc(int32_t index) const noexcept override
    {
        Kept const* const kept = at(index);
        return kept == nullptr ? "" : kept->text;
    }
    bool hasOverflowed() const noexcept override
    {
        return mReported.load() > mKept.size();
    }
    void clear() noexcept override
    {
        for (auto& kept : mKept)
        {
            kept.ready.store(false);
        }
        mReported.store(0);
    }
    bool reportError(ErrorCode code, ErrorDesc message) noexcept override
    {
        mCall(mContext, static_cast<int32_t>(code), message);
        uint32_t const index = mReported.fetch_add(1);
        if (index < mKept.size())
        {
            Kept& kept = mKept[index];
            kept.code = code;
            std::snprintf(kept.text, sizeof kept.text, "%s", message == nullptr ? "" : message);
            kept.ready.store(true);
        }
        return false;
    }
    RefCount incRefCount() noexcept override
    {
        return ++mReferences;
    }
    RefCount decRefCount() noexcept override
    {
        return --mReferences;
    }

private:
    struct Kept
    {
        std::atomic<bool> ready{false};
        ErrorCode code{ErrorCode::kSUCCESS};
        char text[kMAX_DESC_LENGTH + 1]{};
    };
    Kept const* at(int32_t index) const noexcept
    {
        bool const inside = index >= 0 && static_cast<size_t>(index) < mKept.size();
        return inside && mKept[index].ready.load() ? &mKept[index] : nullptr;
    }

    acta_trt_error_fn mCall;
    void* mContext;
    std::array<Kept, 32> mKept{};
    std::atomic<uint32_t> mReported{0};
    std::atomic<RefCount> mReferences{0};
};

class Monitor final : public IProgressMonitor
{
public:
    explicit Monitor(acta_trt_monitor_calls const& calls)
        : mCalls(calls)
    {
    }
    void phaseStart(char const* name, char const* parent, int32_t steps) noexcept override
    {
        mCalls.phase_start(mCalls.context, name, parent, steps);
    }
    bool stepComplete(char const* name, int32_t step) noexcept override
    {
        return mCalls.step_complete(mCalls.context, name, step) != 0;
    }
    void phaseFinish(char const* name) noexcept override
    {
        mCalls.phase_finish(mCalls.context, name);
    }

private:
    acta_trt_monitor_calls mCalls;
};

// The recorder is declared first, so it goes last.
struct Builder
{
    Builder(acta_trt_error_fn error, void* context)
        : recorder(error, context)
    {
    }
    Recorder recorder;
    std::unique_ptr<IBuilder> builder;
};

// ---- handles back to objects

Logger& of(acta_trt_logger* handle) { return *reinterpret_cast<Logger*>(handle); }
Monitor* of(acta_trt_monitor* handle) { return reinterpret_cast<Monitor*>(handle); }
Builder& of(acta_trt_builder* handle) { return *reinterpret_cast<Builder*>(handle); }
INetworkDefinition& of(acta_trt_network* handle) { return *reinterpret_cast<INetworkDefinition*>(handle); }
nvonnxparser::IParser& of(acta_trt_parser* handle) { return *reinterpret_cast<nvonnxparser::IParser*>(handle); }
IOptimizationProfile& of(acta_trt_profile* handle) { return *reinterpret_cast<IOptimizationProfile*>(handle); }
IBuilderConfig& of(acta_trt_config* handle) { return *reinterpret_cast<IBuilderConfig*>(handle); }
ITimingCache& of(acta_trt_cache* handle) { return *reinterpret_cast<ITimingCache*>(handle); }
IHostMemory& of(acta_trt_memory* handle) { return *reinterpret_cast<IHostMemory*>(handle); }

acta_trt_dims dims_out(Dims const& dims) noexcept
{
    acta_trt_dims out{dims.nbDims, {}};
    for (int32_t i = 0; i < dims.nbDims && i < ACTA_TRT_MAX_DIMS; ++i)
    {
        out.sizes[i] = dims.d[i];
    }
    return out;
}

Dims dims_in(acta_trt_dims const& dims) noexcept
{
    Dims in{};
    in.nbDims = dims.count < ACTA_TRT_MAX_DIMS ? dims.count : ACTA_TRT_MAX_DIMS;
    for (int32_t i = 0; i < in.nbDims; ++i)
    {
        in.d[i] = dims.sizes[i];
    }
    return in;
}

// ---- logger, monitor, builder

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

int32_t monitor_create(acta_trt_monitor_calls const* calls, acta_trt_monitor** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, new Monitor(*calls)); });
}

void monitor_destroy(acta_trt_monitor* monitor) noexcept
{
    guarded([&] { delete of(monitor); });
}

int32_t builder_create(void* entry, acta_trt_logger* logger, acta_trt_error_fn error, void* context,
    acta_trt_builder** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        using Create = void* (*) (void*, int32_t);
        auto const create = reinterpret_cast<Create>(entry);
        auto whole = std::make_unique<Builder>(error, context);
        ILogger* const base = &of(logger);
        whole->builder.reset(static_cast<IBuilder*>(create(base, NV_TENSORRT_VERSION)));
        if (!whole->builder)
        {
            return ACTA_TRT_NO;
        }
        whole->builder->setErrorRecorder(&whole->recorder);
        return hand_out(made, whole.release());
    });
}

void builder_destroy(acta_trt_builder* builder) noexcept
{
    guarded([&] { delete &of(builder); });
}

int32_t builder_set_max_threads(acta_trt_builder* builder, int32_t threads, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return answer(of(builder).builder->setMaxThreads(threads)); });
}

int32_t builder_max_threads(acta_trt_builder* builder, int32_t* threads, acta_trt_text* text) noexcept
{
    return guarded(text, [&] {
        *threads = of(builder).builder->getMaxThreads();
        return ACTA_TRT_YES;
    });
}

int32_t builder_build(acta_trt_builder* builder, acta_trt_network* network, acta_trt_config* config,
    acta_trt_memory** made, acta_trt_text* text) noexcept
{
    return guarded(text,
        [&] { return hand_out(made, of(builder).builder->buildSerializedNetwork(of(network), of(config))); });
}

// ---- network and parser

int32_t network_create(
    acta_trt_builder* builder, uint32_t flags, acta_trt_network** made, acta_trt_text* text) noexcept
{
    return guarded(text, [&] { return hand_out(made, of(builder).builder->createNetworkV2(flags)); });
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
    return guarded(text, [&] { return hand_out(made, of(builder).builder->createOptimizationProfile()); });
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
    return guarded(text, [&] { return hand_out(made, of(builder).builder->createBuilderConfig()); });
}

void config_destroy(acta_trt_config* config) noexcept
{
    guarded([&] { delete &of(config); });
}

// TensorRT's setter returns void here: the caller reads the value back to learn whether it was taken.
constexpr int32_t kASKED = ACTA_TRT_YES;

int32_t set_integer(IBuilderConfig& config, int32_t setting, int32_t index, int64_t value)
{
    auto const small = static_cast<int32_t>(value);
    switch (setting)
    {
    case ACTA_TRT_FLAGS: config.setFlags(static_cast<BuilderFlags>(value)); return kASKED;
    case ACTA_TRT_OPTIMIZATION_LEVEL: config.setBuilderOptimizationLevel(small); return kASKED;
    case ACTA_TRT_TACTIC_SOURCES: return answer(config.setTacticSources(static_cast<TacticSources>(value)));
    case ACTA_TRT_MAX_AUX_STREAMS: return answer(config.setMaxAuxStreams(small));
    case ACTA_TRT_HARDWARE_COMPATIBILITY:
        config.setHardwareCompatibilityLevel(static_cast<HardwareCompatibilityLevel>(small));
        return kASKED;
    case ACTA_TRT_PROFILING_VERBOSITY:
        config.setProfilingVerbosity(static_cast<ProfilingVerbosity>(small));
        return kASKED;
    case ACTA_TRT_AVG_TIMING_ITERATIONS: config.setAvgTimingIterations(small); return kASKED;
    case ACTA_TRT_MAX_TACTICS: config.setMaxNbTactics(small); return kASKED;
    case ACTA_TRT_TILING_LEVEL:
        return answer(config.setTilingOptimizationLevel(static_cast<TilingOptimizationLevel>(small)));
    case ACTA_TRT_L2_LIMIT: return answer(config.setL2LimitForTiling(value));
    case ACTA_TRT_RUNTIME_PLATFORM: config.setRuntimePlatform(static_cast<RuntimePlatform>(small)); return kASKED;
    case ACTA_TRT_ENGINE_CAPABILITY:
        config.setEngineCapability(static_cast<EngineCapability>(small));
        return kASKED;
    case ACTA_TRT_MEMORY_POOL:
        config.setMemoryPoolLimit(static_cast<MemoryPoolType>(index), static_cast<size_t>(value));
        return kASKED;
    case ACTA_TRT_PREVIEW_FEATURE:
        config.setPreviewFeature(static_cast<PreviewFeature>(index), value != 0);
        return kASKED;
#ifdef TRT_MAJOR_RTX
    case ACTA_TRT_COMPUTE_CAPABILITY_COUNT: return answer(config.setNbComputeCapabilities(small));
    case ACTA_TRT_COMPUTE_CAPABILITY:
        return answer(config.setComputeCapability(static_cast<ComputeCapability>(small), index));
#endif
    default: return ACTA_TRT_UNSUPPORTED;
    }
}

int32_t get_integer(IBuilderConfig& config, int32_t setting, int32_t index, int64_t& value)
{
    auto const found = [&value](auto raw) {
        value = static_cast<int64_t>(raw);
        return ACTA_TRT_YES;
    };
    switch (setting)
    {
    case ACTA_TRT_FLAGS: return found(config.getFlags());
    case ACTA_TRT_OPTIMIZATION_LEVEL: return found(config.getBuilderOptimizationLevel());
    case ACTA_TRT_TACTIC_SOURCES: return found(config.getTacticSources());
    case ACTA_TRT_MAX_AUX_STREAMS: return found(config.getMaxAuxStreams());
    case ACTA_TRT_HARDWARE_COMPATIBILITY: return found(config.getHardwareCompatibilityLevel());
    case ACTA_TRT_PROFILING_VERBOSITY: return found(config.getProfilingVerbosity());
    case ACTA_TRT_AVG_TIMING_ITERATIONS: return found(config.getAvgTimingIterations());
    case ACTA_TRT_MAX_TACTICS: return found(config.getMaxNbTactics());
    case ACTA_TRT_TILING_LEVEL: return found(config.getTilingOptimizationLevel());
    case ACTA_TRT_L2_LIMIT: return found(config.getL2LimitForTiling());
    case ACTA_TRT_RUNTIME_PLATFORM: return found(config.getRuntimePlatform());
    case ACTA_TRT_ENGINE_CAPABILITY: return found(config.getEngineCapability());
    case ACTA_TRT_MEMORY_POOL: return found(config.getMemoryPoolLimit(static_cast<MemoryPoolType>(index)));
    case ACTA_TRT_PREVIEW_FEATURE: return found(config.getPreviewFeature(static_cast<PreviewFeature>(index)));
    case ACTA_TRT_PROFILE_COUNT: return found(config.getNbOptimizationProfiles());
    case ACTA_TRT_HAS_TIMING_CACHE: return found(config.getTimingCache() != nullptr);
#ifdef TRT_MAJOR_RTX
    case ACTA_TRT_COMPUTE_CAPABILITY_COUNT: return found(config.getNbComputeCapabilities());
    case ACTA_TRT_COMPUTE_CAPABILITY: return found(config.getComputeCapability(index));
#endif
    default: return ACTA_TRT_UNSUPPORTED;
    }
}

// Build routes came with some 11.x: the headers at hand tell whether they are there.
template <class Config>
auto set_route(Config& config, char const* value, int) -> decltype(config.setBuildRoute(value), int32_t{})
{
    return answer(config.setBuildRoute(value));
}
template <class Config>
int32_t set_route(Config&, char const*, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto get_route(Config& config, bool all, char const** value, int) -> decltype(config.getBuildRoute(), int32_t{})
{
    *value = all ? config.getAllBuildRoutes() : config.getBuildRoute();
    return ACTA_TRT_YES;
}
template <class Config>
int32_t get_route(Config&, bool, char const**, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto set_remote(Config& config, char const* value, int)
    -> decltype(config.setRemoteAutoTuningConfig(value), int32_t{})
{
    return answer(config.setRemoteAutoTuningConfig(value));
}
template <class Config>
int32_t set_remote(Config&, char const*, long)
{
    return ACTA_TRT_UNSUPPORTED;
}
template <class Config>
auto get_remote(Config& config, char const** value, int)
    -> decltype(config.getRemoteAutoTuningConfig(), int32_t{})
{
    *value = config.getRemoteAutoTuningConfig();
    return ACTA_TRT_YES;
}
template <class Config>
int32_t get_remote(Config&, char const**, long)
{
    return ACTA_TRT_UNSUPPORTED;
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
