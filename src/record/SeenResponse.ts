/** What a `Response` that is made by hand does not say: where it came from. Its clones say it too. */

/** Where a response came from. */
export type Origin = Pick<Response, "url" | "redirected" | "type">

/** The response as one that came from there. */
export const of = (response: Response, { url, redirected, type }: Origin): Response =>
  Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => of(Response.prototype.clone.call(response), { url, redirected, type }) },
  })
