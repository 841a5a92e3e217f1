/** Headers of requests that only the host sets. */

const NAMES = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i

/** Whether a header would redirect a request, smuggle in another one, or concern the connection alone (RFC 9110 §7.6.1). */
export const isReserved = (name: string): boolean => NAMES.test(name)
