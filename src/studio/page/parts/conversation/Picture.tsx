/** An image in a message (`model/conversation/pictures`). */
export const Picture = ({ picture, alt }: { readonly picture: string; readonly alt: string }) => (
  <img class="picture" src={picture} alt={alt === "" ? "An image in the message" : alt} decoding="async" />
)
