/** Where addresses are stored: in the path of a server's page, behind the `#` of a shared file, or in memory. */
import { type Address, format, parse } from "./Address.ts"

export interface Links {
  readonly read: () => Address
  /** Shows an address as a new entry of the browser's history, or replaces the current one. */
  readonly write: (address: Address, replace: boolean) => void
  readonly href: (address: Address) => string
}

const linksBy = (read: () => Address, href: (address: Address) => string): Links => ({
  read,
  href,
  write: (address, replace) => {
    const link = href(address)
    if (replace) history.replaceState(null, "", link)
    else if (href(read()) !== link) history.pushState(null, "", link)
  },
})

export const serverLinks: Links = linksBy(() => parse(location.pathname, location.search), format)

/** The addresses of one of several logs, all of which begin with its prefix. */
export const linksBelow = (prefix: string): Links =>
  linksBy(
    () => parse(location.pathname.slice(prefix.length), location.search),
    (address) => prefix + format(address),
  )

/** The addresses of a shared file, which begins at its `data-start`. */
export const fileLinks: Links = linksBy(
  () => parsed(location.hash.startsWith("#/") ? location.hash.slice(1) : (document.body.dataset.start ?? "/")),
  (address) => `#${format(address)}`,
)

/** The addresses of a page in a host's frame, which has no address of its own and no history. */
export const appLinks = (start: string): Links => {
  let here = parsed(start)
  return {
    read: () => here,
    href: (address) => `#${format(address)}`,
    write: (address) => {
      here = address
    },
  }
}

const parsed = (link: string): Address => {
  const [path = "/", query] = link.split(/\?(.*)/s)
  return parse(path, query === undefined ? "" : `?${query}`)
}
