/** Finds keys: in the environment, and in what a request carries. */

/** Names of environment variables that hold keys. */
const KEY_VARIABLE = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i

/** A header that carries a key. */
const KEY_HEADER = /^(authorization|proxy-authorization|cookie)$|key|token|secret/

/** A field of a query that carries a key. */
export const KEY_FIELD = /key|token|secret/i

/** The keys in the environment of this process. */
export const keysOfEnvironment = (): ReadonlyArray<string> =>
  Object.entries(process.env).flatMap(([name, value]) =>
    KEY_VARIABLE.test(name) && value !== undefined ? [value] : [],
  )

/** The keys that a request carries, in its headers and its query. */
export const keysIn = (headers: Headers, url: string): ReadonlyArray<string> => {
  const { searchParams } = new URL(url)
  return [
    ...[...headers].filter(([name]) => KEY_HEADER.test(name)).flatMap(([, value]) => [value, ...value.split(/\s+/)]),
    ...[...searchParams].filter(([name]) => KEY_FIELD.test(name)).map(([, value]) => value),
  ]
}
