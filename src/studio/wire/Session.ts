/** The API's answers about the person who uses a shared Studio. */

/** `GET /api/session` */
export interface SessionInfo {
  /** Null if nobody is signed in. */
  readonly account: string | null
  /** Whether people sign in with a password, or a proxy names them. */
  readonly by: "password" | "proxy"
  /** The value of the header `X-Hindcast-Csrf` of orders; null if nobody is signed in. */
  readonly csrf: string | null
  /** The logs that this person may see. */
  readonly logs: ReadonlyArray<SharedLog>
}

export interface SharedLog {
  /** Its name in addresses: `/logs/ID/…`. */
  readonly id: string
  readonly roles: ReadonlyArray<string>
  /** Whether this person sees its personal data. */
  readonly personal: boolean
  /** Whether it could be opened when somebody last tried. */
  readonly isOpen: boolean
}

/** `POST /api/sign-in` */
export interface SignIn {
  readonly account: string
  readonly password: string
}

/** The header that an order carries, so that no other site can give it in a person's name. */
export const CSRF_HEADER = "x-hindcast-csrf"
