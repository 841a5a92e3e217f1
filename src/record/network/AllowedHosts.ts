/** The hosts that a replay may reach although it is closed, as `--allow-host` names them. Pure. */

import { Schema } from "effect"

/** A host, and a port of it; every port where none is named. */
export interface AllowedHost {
  /** In lower case, without brackets. */
  readonly host: string
  readonly port: number | undefined
}

/** Where a program connects to. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** The host in a text such as `localhost:5432`, `db.example` or `[::1]:5432`; undefined if it has another form. */
export const parse = (text: string): AllowedHost | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s/:[\]@]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { host: host.toLowerCase(), port }
}

/** The form that `parse` reads, for messages. */
export const FORM = "HOST:PORT or HOST, such as localhost:5432"

/** A text that `parse` reads. */
export const Text: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => parse(text) !== undefined),
  Schema.annotations({ description: `a host: ${FORM}` }),
)

/** Whether a target is one of the allowed ones. The names and addresses of the loopback are one host. */
export const includes = (allowed: ReadonlyArray<AllowedHost>, { host, port }: Target): boolean =>
  allowed.some((one) => sameHost(one.host, host) && (one.port === undefined || one.port === port))

/** Whether one of the allowed hosts has that name or address. */
export const names = (allowed: ReadonlyArray<AllowedHost>, name: string): boolean =>
  allowed.some(({ host }) => sameHost(host, name))

/** Whether a text is an address, or a name of the loopback: a machine knows these by itself. */
export const isKnownHere = (name: string): boolean => name === "" || isAddress(name) || isLoopback(name)

const sameHost = (one: string, other: string): boolean =>
  one === other.toLowerCase() || (isLoopback(one) && isLoopback(other))

const isAddress = (name: string): boolean => /^[\d.]+$/.test(name) || name.includes(":")

const isLoopback = (name: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i.test(name)

/** A target as people and `--allow-host` write it. */
export const written = ({ host, port }: Target): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
