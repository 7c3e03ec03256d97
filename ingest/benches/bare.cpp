// Builds MODEL into PLAN with the library in LIBRARIES and without a monitor, and prints how many nanoseconds the build
// call took: what `acta build` is measured against.

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <string>

namespace
{

class Silent : public nvinfer1::ILogger
{
    void log(Severity, char const*) noexcept override {}
};

template <typename Function>
Function symbol(std::string const& library, char const* name)
{
    void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* found = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    if (found == nullptr)
    {
        std::fprintf(stderr, "%s: %s\n", library.c_str(), dlerror());
        std::exit(2);
    }
    return reinterpret_cast<Function>(found);
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 4)
    {
        return 2;
    }
    std::string const libraries = arguments[3];
    auto* const createBuilder
        = symbol<void* (*)(void*, int32_t)>(libraries + "/libtensorrt_rtx.so.1", "createInferBuilder_INTERNAL");
    auto* const createParser = symbol<void* (*)(void*, void*, int)>(
        libraries + "/libtensorrt_onnxparser_rtx.so.1", "createNvOnnxParser_INTERNAL");
    Silent logger;
    std::unique_ptr<nvinfer1::IBuilder> const builder{
        static_cast<nvinfer1::IBuilder*>(createBuilder(&logger, NV_TENSORRT_VERSION))};
    std::unique_ptr<nvinfer1::INetworkDefinition> const network{builder->createNetworkV2(1)};
    std::unique_ptr<nvonnxparser::IParser> const parser{
        static_cast<nvonnxparser::IParser*>(createParser(network.get(), &logger, NV_ONNX_PARSER_VERSION))};
    if (!parser->parseFromFile(arguments[1], 0))
    {
        return 3;
    }
    std::unique_ptr<nvinfer1::IBuilderConfig> const config{builder->createBuilderConfig()};
    auto const began = std::chrono::steady_clock::now();
    std::unique_ptr<nvinfer1::IHostMemory> const plan{builder->buildSerializedNetwork(*network, *config)};
    auto const took = std::chrono::steady_clock::now() - began;
    if (!plan)
    {
        return 9;
    }
    std::ofstream{arguments[2], std::ios::binary}.write(static_cast<char const*>(plan->data()),
        static_cast<std::streamsize>(plan->size()));
    std::printf("%lld\n", static_cast<long long>(std::chrono::nanoseconds{took}.count()));
    return 0;
}
