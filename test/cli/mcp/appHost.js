// A host of MCP Apps, by MCP's own SDK: bundled by the test, and run in a page. `callServer` is the test's client.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge"

/** Shows a page in a frame without an origin, and passes it the result of a tool. */
window.showApp = async ({ html, csp, input, result, theme }) => {
  const frame = document.createElement("iframe")
  frame.setAttribute("sandbox", "allow-scripts")
  frame.setAttribute("style", "width: 1200px; height: 720px; border: 0")
  document.body.append(frame)
  const bridge = new AppBridge(
    null,
    { name: "host", version: "1.0.0" },
    { serverResources: {}, openLinks: {} },
    { hostContext: { theme, displayMode: "inline" } },
  )
  const sizes = []
  bridge.onreadresource = (params) => window.callServer(params.uri)
  bridge.onsizechange = (size) => sizes.push(size)
  const begun = new Promise((resolve) => {
    bridge.oninitialized = resolve
  })
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = html.replace(
    "<meta charset",
    `<meta http-equiv="Content-Security-Policy" content="${csp}"><meta charset`,
  )
  await begun
  await bridge.sendToolInput({ arguments: input })
  await bridge.sendToolResult(result)
  window.endApp = () => bridge.teardownResource({})
  return { app: bridge.getAppVersion(), sizes }
}
