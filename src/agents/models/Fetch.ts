/** The global types of requests over HTTP, so that declarations also compile in programs without them. */

/** The type of the global `fetch`. */
export type Fetch = typeof globalThis extends { fetch: infer Known } ? Known : (input: string) => Promise<unknown>

/** The type of the global `Request`. */
export type HttpRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : unknown

/** The type of the global `Headers`. */
export type HttpHeaders = typeof globalThis extends { Headers: { prototype: infer Known } } ? Known : unknown

/** The type of the global `Response`. */
export type HttpResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : unknown
