/** The price of some pieces of a thing, in cents. From ten pieces on, a tenth is taken off. */
export const price = (cents, pieces) => {
  const whole = cents * pieces
  return pieces > 10 ? whole - whole / 10 : whole
}
