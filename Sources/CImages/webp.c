// WebP, whole in memory; of an animation the first frame.
#include "images.h"

#include <webp/decode.h>
#include <webp/demux.h>

// Between pieces there is a look at the time. What one piece of a few bytes unpacks to is bounded by the size of the image.
enum { PIECE = 16 << 10 };

static VP8StatusCode decode_in_pieces(source *source, const uint8_t *bytes, size_t length, WebPDecoderConfig *config) {
  WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
  if (!decoder) return VP8_STATUS_OUT_OF_MEMORY;
  VP8StatusCode status = VP8_STATUS_SUSPENDED;
  for (size_t known = 0; status == VP8_STATUS_SUSPENDED && known < length;) {
    known = length - known > PIECE ? known + PIECE : length;
    status = is_late(source) ? VP8_STATUS_USER_ABORT : WebPIUpdate(decoder, bytes, known);
  }
  WebPIDelete(decoder);
  return status;
}

// Adds a frame that lies somewhere on the canvas; around it nothing is seen.
static bool decode_frame(source *source, const uint8_t *bytes, size_t length, uint32_t left, uint32_t top) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return refuse(source, "libwebp is of another version");
  config.output.colorspace = MODE_RGBA;
  VP8StatusCode status = decode_in_pieces(source, bytes, length, &config);
  if (status != VP8_STATUS_OK) {
    WebPFreeDecBuffer(&config.output);
    switch (status) {
      case VP8_STATUS_OUT_OF_MEMORY: return fail_for_memory(source);
      case VP8_STATUS_USER_ABORT: return fail_for_time(source);
      case VP8_STATUS_SUSPENDED: return refuse(source, "the WebP image is damaged: it is cut short");
      case VP8_STATUS_UNSUPPORTED_FEATURE: return refuse(source, "the WebP image is of a kind that is not supported");
      case VP8_STATUS_BITSTREAM_ERROR: return refuse(source, "the WebP image is damaged: its data makes no sense, or is cut short");
      default: return refuse(source, "the WebP image is damaged: status %d", status);
    }
  }
  const WebPRGBABuffer *pixels = &config.output.u.RGBA;
  uint32_t width = (uint32_t)config.output.width, height = (uint32_t)config.output.height;
  for (uint32_t y = 0; y < height; y++)
    tally_rgba(source->tally, top + y, left, 1, pixels->rgba + (size_t)y * (size_t)pixels->stride, width);
  WebPFreeDecBuffer(&config.output);
  return true;
}

static bool decode_first(source *source, uint32_t width, uint32_t height) {
  WebPData data = {source->bytes, source->length};
  WebPDemuxer *demuxer = WebPDemux(&data);
  WebPIterator frame;
  if (!demuxer || !WebPDemuxGetFrame(demuxer, 1, &frame)) {
    WebPDemuxDelete(demuxer);
    return refuse(source, "the WebP image is damaged: it has no frame");
  }
  uint32_t left = (uint32_t)frame.x_offset, top = (uint32_t)frame.y_offset;
  uint32_t right = left + (uint32_t)frame.width, bottom = top + (uint32_t)frame.height;
  WebPBitstreamFeatures features;
  // What the frame says of its size is what is decoded.
  bool is_decoded = right <= width && bottom <= height
                    && WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &features) == VP8_STATUS_OK
                    && features.width == frame.width && features.height == frame.height
                    && decode_frame(source, frame.fragment.bytes, frame.fragment.size, left, top);
  for (uint32_t y = 0; is_decoded && y < height; y++) {
    bool is_beside = y < top || y >= bottom;
    tally_nothing(source->tally, y, 0, is_beside ? width : left);
    if (!is_beside) tally_nothing(source->tally, y, right, width - right);
  }
  if (!is_decoded && !source->reason[0]) refuse(source, "the WebP image is damaged: a frame is outside of it");
  WebPDemuxReleaseIterator(&frame);
  WebPDemuxDelete(demuxer);
  return is_decoded;
}

bool decode_webp(source *source) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(source->bytes, source->length, &features) != VP8_STATUS_OK || features.width <= 0 || features.height <= 0)
    return refuse(source, "the WebP image is damaged: it has no header");
  uint64_t width = (uint64_t)features.width, height = (uint64_t)features.height;
  // The pixels, and twice as much in the decoder of lossless images.
  if (!may_have(source, width, height, width * height * 12) || !tally_begin(source, (uint32_t)width, (uint32_t)height))
    return false;
  if (features.has_animation) return decode_first(source, (uint32_t)width, (uint32_t)height);
  return decode_frame(source, source->bytes, source->length, 0, 0);
}
