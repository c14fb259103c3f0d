// Work captured into a graph and launched from there.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "machine.hpp"

namespace ffc::examples {

/// Whose calls a capture forbids that are no part of it: those of every thread, or of its own. The driver's values.
enum class CaptureMode { global = 0, thread_local_ = 1 };

/// What `work(stream)` asked of a stream of its own, as one graph.
class Graph {
 public:
  Graph(std::shared_ptr<const Machine> device, const std::function<void(CUstream)>& work,
        CaptureMode mode = CaptureMode::thread_local_)
      : device_(std::move(device)), stream_(device_) {
    const DriverApi& api = device_->api();
    api.check(api.stream_begin_capture(stream_.get(), static_cast<int>(mode)), "cuStreamBeginCapture");
    work(stream_.get());
    api.check(api.stream_end_capture(stream_.get(), &graph_), "cuStreamEndCapture");
    api.check(api.graph_instantiate(&executable_, graph_, 0), "cuGraphInstantiateWithFlags");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (executable_ != nullptr) (void)device_->api().graph_exec_destroy(executable_);
    if (graph_ != nullptr) (void)device_->api().graph_destroy(graph_);
  }

  void launch(CUstream stream) const {
    device_->api().check(device_->api().graph_launch(executable_, stream), "cuGraphLaunch");
  }

 private:
  std::shared_ptr<const Machine> device_;
  Stream stream_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace ffc::examples
