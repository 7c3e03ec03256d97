// What every function of the shim goes through: exceptions become answers, handles become objects.

#pragma once

#include "callbacks.hpp"
#include "trt_shim.h"

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <cstdio>
#include <exception>

namespace
{

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

Logger& of(acta_trt_logger* handle) { return *reinterpret_cast<Logger*>(handle); }
Monitor* of(acta_trt_monitor* handle) { return reinterpret_cast<Monitor*>(handle); }
Recorder& of(acta_trt_recorder* handle) { return *reinterpret_cast<Recorder*>(handle); }
IBuilder& of(acta_trt_builder* handle) { return *reinterpret_cast<IBuilder*>(handle); }
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

} // namespace
