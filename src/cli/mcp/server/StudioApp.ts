/**
 * Studio as an MCP App (SEP-1865): a client shows the page in a frame without network, next to the result of a tool
 * that names it. The page then reads its data from the server.
 */

/** The page, the same for all tasks. */
export const PAGE = "ui://hindcast/studio"

/** The answers for the page about a task, as a template (RFC 6570). */
export const TASK = "hindcast://task/{task}/studio.json"

export const uriOf = (task: string): string => TASK.replace("{task}", encodeURIComponent(task))

export const MIME_TYPE = "text/html;profile=mcp-app"

/** The page's wishes to its client: no origins at all, and a border around it. */
export const PAGE_META = { ui: { csp: {}, prefersBorder: true } }

/** Marks a tool whose result the page shows. */
export const TOOL_META = { ui: { resourceUri: PAGE } }
