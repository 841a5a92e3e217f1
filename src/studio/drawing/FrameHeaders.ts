/** Headers of all answers of the frames' server: no storage, no referrer, no device access. */

/** Features denied to frames. The sandbox and `allow=""` already deny most of them. */
const FEATURES = [
  ...["accelerometer", "autoplay", "browsing-topics", "camera"],
  ...["clipboard-read", "clipboard-write", "compute-pressure", "cross-origin-isolated", "deferred-fetch"],
  ...["deferred-fetch-minimal", "display-capture", "encrypted-media", "fullscreen", "gamepad"],
  ...["geolocation", "gyroscope", "hid", "identity-credentials-get", "idle-detection", "join-ad-interest-group"],
  ...["keyboard-map", "local-fonts", "local-network-access", "magnetometer", "microphone", "midi", "otp-credentials"],
  ...["payment", "picture-in-picture", "private-aggregation", "private-state-token-issuance"],
  ...["private-state-token-redemption", "publickey-credentials-create", "publickey-credentials-get"],
  ...["run-ad-auction", "screen-wake-lock", "serial", "shared-storage", "shared-storage-select-url"],
  ...["storage-access", "sync-xhr", "unload", "usb", "window-management"],
  "xr-spatial-tracking",
]

/** Headers of every answer, in addition to a document's policy. */
export const HEADERS: ReadonlyArray<readonly [name: string, value: string]> = [
  ["permissions-policy", FEATURES.map((feature) => `${feature}=()`).join(", ")],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["x-dns-prefetch-control", "off"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-embedder-policy", "require-corp"],
  ["cross-origin-resource-policy", "same-origin"],
]
