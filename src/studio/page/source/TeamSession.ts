/** The person who uses a shared Studio: the session, its start with a password, and its end. */
import { signal } from "@preact/signals"
import type { Problem } from "../../wire/Log.ts"
import { CSRF_HEADER, type SessionInfo, type SignIn } from "../../wire/Session.ts"
import { SourceFailed } from "./Source.ts"

/** Whether the server shares logs with a team: people then have accounts, and no token. */
export const isOfTeam = (): boolean => document.body.dataset.team !== undefined

/** The session of the page; null where Studio is one person's. */
export const session = signal<SessionInfo | null>(null)

/** The headers of requests to the API. The browser adds the cookie, which no script can read. */
export const headersOf = ({ csrf }: SessionInfo): { readonly [name: string]: string } =>
  csrf === null ? {} : { [CSRF_HEADER]: csrf }

/** The start of the addresses of a log, without a slash at the end. */
export const prefixOf = (log: string): string => `/logs/${log}`

/** The log that an address names; null if it names none. */
export const logIn = (pathname: string): string | null => /^\/logs\/([^/]+)(?:\/|$)/.exec(pathname)?.[1] ?? null

const asked = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(`/api/${path}`, { ...init, cache: "no-store" }).catch(() => {
    throw new SourceFailed("Unreachable", "The server does not respond. Ask whoever runs Studio.")
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>
  throw new SourceFailed(problem.error ?? `Status${response.status}`, problem.message ?? "The server refused.")
}

const order = (path: string, body: object, headers: { readonly [name: string]: string } = {}): Promise<Response> =>
  asked(path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  })

/** Asks who uses this page. Fails with `SourceFailed`. */
export const load = async (): Promise<SessionInfo> => {
  const found = (await (await asked("session")).json()) as SessionInfo
  session.value = found
  return found
}

/** Fails with `SourceFailed`: `WrongPassword`, `TooManyAttempts`, `Busy`. */
export const signIn = async (typed: SignIn): Promise<void> => {
  await order("sign-in", typed)
}

/** Ends the session, and leaves the page without anything of a log. */
export const signOut = async (): Promise<void> => {
  if (session.value !== null) await order("sign-out", {}, headersOf(session.value))
  location.assign("/")
}
