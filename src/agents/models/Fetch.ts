/** The global types of requests over HTTP, so that declarations also compile in programs without them. */

export type Fetch = typeof globalThis extends { fetch: infer Known } ? Known : (input: string) => Promise<unknown>

export type HttpRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : unknown

export type HttpHeaders = typeof globalThis extends { Headers: { prototype: infer Known } } ? Known : unknown

export type HttpResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : unknown
