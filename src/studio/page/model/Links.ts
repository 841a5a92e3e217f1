/** Where addresses are stored: in the path of a server's page, or behind the `#` of a shared file. */
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

/** The addresses of a shared file, which begins at its `data-start`. */
export const fileLinks: Links = linksBy(
  () => {
    const link = location.hash.startsWith("#/") ? location.hash.slice(1) : (document.body.dataset.start ?? "/")
    const [path = "/", query] = link.split(/\?(.*)/s)
    return parse(path, query === undefined ? "" : `?${query}`)
  },
  (address) => `#${format(address)}`,
)
