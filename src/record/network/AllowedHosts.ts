/** Hosts that a closed replay may still reach (`--allow-host`). Pure. */

import { Schema } from "effect"

/** A host and a port; without a port, every port. */
export interface AllowedHost {
  /** In lower case, without brackets. */
  readonly host: string
  readonly port: number | undefined
}

export interface Target {
  readonly host: string
  readonly port: number
}

/** Parses `localhost:5432`, `db.example` or `[::1]:5432`; undefined for other forms. */
export const parse = (text: string): AllowedHost | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s/:[\]@]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { host: host.toLowerCase(), port }
}

export const FORM = "HOST:PORT or HOST, such as localhost:5432"

export const Text: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => parse(text) !== undefined),
  Schema.annotations({ description: `a host: ${FORM}` }),
)

/** Whether a target is allowed. All names and addresses of the loopback count as one host. */
export const includes = (allowed: ReadonlyArray<AllowedHost>, { host, port }: Target): boolean =>
  allowed.some((one) => sameHost(one.host, host) && (one.port === undefined || one.port === port))

/** Whether an allowed host has this name or address. */
export const names = (allowed: ReadonlyArray<AllowedHost>, name: string): boolean =>
  allowed.some(({ host }) => sameHost(host, name))

/** Whether resolving a name needs no server: an address, or a loopback name. */
export const isKnownHere = (name: string): boolean => name === "" || isAddress(name) || isLoopback(name)

const sameHost = (one: string, other: string): boolean =>
  one === other.toLowerCase() || (isLoopback(one) && isLoopback(other))

const isAddress = (name: string): boolean => /^[\d.]+$/.test(name) || name.includes(":")

export const isLoopback = (name: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i.test(name)

/** Formats a target as `--allow-host` takes it. */
export const written = ({ host, port }: Target): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
