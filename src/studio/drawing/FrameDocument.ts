/**
 * The document of a frame in which a plugin's code draws: the plugin's file, and the policy that confines it. Pure.
 *
 * Each script of the file gets our prelude, and the policy allows only these texts by their hashes: no handler in an
 * attribute, no `eval`, no address. So in every window of the frame, even in a frame that the code creates within its
 * own, the prelude runs first and removes WebRTC, which no browser policy can deny.
 */

import { createHash } from "node:crypto"

export interface FrameDocument {
  readonly html: string
  /** Its `Content-Security-Policy`. */
  readonly policy: string
}

/**
 * @param file the text of the plugin's file. Its scripts stand between `<script>`, without attributes, and `</script>`
 * @param page the origin of the page that shows it
 */
export const of = (file: string, page: string): FrameDocument => {
  const prelude = preludeFor(page)
  const hashes = new Set<string>()
  // Browsers normalize line ends before they hash.
  const html = file
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .replace(SCRIPT, (_, script: string) => {
      hashes.add(hashOf(prelude + script))
      return `<script>${prelude}${script}`
    })
  const scripts = hashes.size === 0 ? "'none'" : [...hashes].join(" ")
  const policy = [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${scripts}`,
    ...["style-src 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'"],
    `frame-ancestors ${page}`,
  ].join("; ")
  return { html: `<!doctype html>${STYLE}${html}`, policy }
}

const SCRIPT = /<script>([\s\S]*?)(?=<\/script[\s/>])/gi

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The page's look, which a plugin's own style may change. */
const STYLE =
  "<style>:root{color-scheme:light dark}body{margin:0;font:13px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}</style>"

/**
 * Runs before each script of a plugin. Function declarations of a script exist before its first statement, so the
 * prelude removes WebRTC without relying on any name: `this` is the window, whatever the script declares.
 *
 * `hindcast.onState(draw)` calls `draw` with each state. Reports errors that `draw` throws or rejects with to the page.
 */
const preludeFor = (page: string): string =>
  `
delete this.RTCPeerConnection; delete this.webkitRTCPeerConnection; delete this.RTCDataChannel;
(function (window) {
  if (window.hindcast) return
  var page = window.parent, draw, last
  var tell = function (message) { page.postMessage(message, ${JSON.stringify(page)}) }
  var failed = function (number, cause) {
    tell({ hindcast: "error", number: number, message: String((cause && cause.message) || cause).slice(0, 500) })
  }
  var drawn = function (number) {
    var body = window.document.body
    tell({ hindcast: "drawn", number: number, height: body ? Math.ceil(body.getBoundingClientRect().bottom) : 0 })
  }
  var show = function () {
    var shown = last, given = Object.assign({ width: window.innerWidth }, shown.picture)
    window.document.documentElement.style.colorScheme = given.theme
    try {
      Promise.resolve(draw(given)).then(
        function () { drawn(shown.number) },
        function (cause) { failed(shown.number, cause) })
    } catch (cause) { failed(shown.number, cause) }
  }
  window.addEventListener("message", function (event) {
    if (event.source !== page || !event.data || event.data.hindcast !== "state") return
    last = event.data
    if (draw) show()
  })
  var width = window.innerWidth
  window.addEventListener("resize", function () {
    if (draw && last && width !== window.innerWidth) show()
    width = window.innerWidth
  })
  window.addEventListener("error", function (event) { failed(last ? last.number : 0, event.message) })
  window.hindcast = { onState: function (given) {
    draw = given
    if (last) show(); else tell({ hindcast: "ready" })
  } }
})(this);
`
