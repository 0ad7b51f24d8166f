/** TCP and TLS: frames in and out, request and response, back-pressure. */
export {}
