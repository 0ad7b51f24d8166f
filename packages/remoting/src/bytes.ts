/**
 * A view of memory that belongs to something larger: the chunk that the socket delivered, or the frame it lies in. Its
 * content never changes, and it may be kept as long as the request is being handled; but it pins the whole of what it
 * lies in (up to 64 KiB, or the frame). What outlives the request is copied with {@link ownBytes}.
 */
export type BorrowedBytes = Buffer

/** A copy that pins nothing else. */
export function ownBytes(bytes: BorrowedBytes): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
