// Which work a spectrum waits for.
#include "device_spectrum.hpp"

namespace ffc {

DeviceSpectrum::~DeviceSpectrum() {
  PendingWork work = {.events = {}, .untracked = untracked_};
  for (const Use& use : uses_) work.events.push_back(use.event);
  device_->free_after(memory_, std::move(work));
}

void DeviceSpectrum::mark_used(CUstream stream) {
  if (is_default_stream(stream)) return;  // a free on the legacy stream comes after it
  const DriverApi& api = device_->api();
  const std::lock_guard lock(mutex_);
  if (untracked_) return;
  // An event in a capture says nothing of the graph's runs.
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  check(api, api.stream_is_capturing(stream, &status), "cuStreamIsCapturing");
  const CUevent event = status == CU_STREAM_CAPTURE_STATUS_NONE ? event_of(stream) : nullptr;
  if (event == nullptr)
    untracked_ = true;
  else
    check(api, api.event_record(event, stream), "cuEventRecord");
}

// Null where there are too many.
CUevent DeviceSpectrum::event_of(CUstream stream) {
  for (const Use& use : uses_)
    if (use.stream == stream) return use.event;
  if (uses_.size() == most_streams) return nullptr;
  CUevent event = nullptr;
  check(device_->api(), device_->api().event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  uses_.push_back({stream, event});
  return event;
}

}  // namespace ffc
