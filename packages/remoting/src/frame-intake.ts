import { decodeFrame, type RemotingCommand } from '@rocketmq-ts/protocol'
import { FrameDecoder } from './frame-decoder.ts'
import type { InFlightAccount } from './in-flight.ts'

/** Who gets the frames of a {@link FrameIntake}. */
export interface FrameIntakeOwner {
  /** False while no frame is wanted; those that have come in already wait. */
  readonly isReading: boolean
  /** One frame; `frameBytes` long. May throw what decoding a frame throws. */
  onFrame(command: RemotingCommand, frameBytes: number): void
  /** The stream makes no sense, or costs too much, from here on. */
  onBrokenStream(error: unknown): void
}

/** The incoming half of a connection: chunks in, commands out, as fast as the owner wants them. */
export class FrameIntake {
  readonly #decoder: FrameDecoder
  readonly #account: InFlightAccount
  readonly #owner: FrameIntakeOwner
  /** What the account has been told of the decoder's memory. */
  #heldBytes = 0
  #isPumping = false

  constructor(frameLimitBytes: number, account: InFlightAccount, owner: FrameIntakeOwner) {
    this.#decoder = new FrameDecoder(frameLimitBytes)
    this.#account = account
    this.#owner = owner
  }

  push(chunk: Buffer): void {
    this.#decoder.push(chunk)
    this.pump()
  }

  /** Hands out what has come in. An owner that calls this from inside `onFrame` gets it after that frame. */
  pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    const decoder = this.#decoder
    const owner = this.#owner
    try {
      while (owner.isReading && decoder.next()) {
        owner.onFrame(decodeFrame(decoder.bytes, decoder.start, decoder.end), decoder.end - decoder.start)
      }
    } catch (error) {
      owner.onBrokenStream(error)
    } finally {
      this.#isPumping = false
    }
    if (decoder.heldBytes !== this.#heldBytes) this.#accountHeld()
  }

  /** The connection is gone. */
  release(): void {
    this.#account.unfinishedBytes -= this.#heldBytes
    this.#heldBytes = 0
  }

  #accountHeld(): void {
    const account = this.#account
    const before = this.#heldBytes
    this.#heldBytes = this.#decoder.heldBytes
    account.unfinishedBytes += this.#heldBytes - before
    if (this.#heldBytes > before && account.unfinishedBytes > account.unfinishedLimitBytes) {
      this.#owner.onBrokenStream(
        new Error(`${account.unfinishedBytes} bytes of unfinished frames, over all connections`),
      )
    }
  }
}
