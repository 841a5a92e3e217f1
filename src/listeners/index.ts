/** Listeners bring signals from outside in: each is recorded once, acknowledged, and opens a task by a rule. */

export { FloodLimit } from "./http/Flood.ts"
export { Signature } from "./http/Signature.ts"
export { type WebhookOptions, type WebhookRequest, webhook } from "./http/Webhook.ts"
export { type WebSocketOptions, webSocket } from "./http/WebSocket.ts"
export { define, Listener, type ListenerContext, type ListenerOptions } from "./Listener.ts"
export { Rule } from "./Rule.ts"
export { ServeOptions, type Serving, serve } from "./Serve.ts"
export { type EmitOptions, InboxFull, type Received, type ReceiveError, Signal } from "./Signal.ts"
export { type CronOptions, cron } from "./sources/Cron.ts"
export { type LinesOptions, lines } from "./sources/Lines.ts"
export { type FilesOptions, files } from "./sources/WatchedFiles.ts"
