import { type BodyOf, jsonBody } from './json-body.ts'
import { object } from './map-schemas.ts'
import { list, optional, text } from './schema.ts'

const userInfoSchema = object({
  username: optional(text()),
  password: optional(text()),
  /** `Super` or `Normal`. */
  userType: optional(text()),
  /** `enable` or `disable`. */
  userStatus: optional(text()),
})

/** A user: body of AUTH_CREATE_USER and AUTH_UPDATE_USER, answer to AUTH_GET_USER. */
export const userInfo = jsonBody(userInfoSchema)
export type UserInfo = BodyOf<typeof userInfo>

/** Answer to AUTH_LIST_USER. */
export const userInfoList = jsonBody(list(userInfoSchema))

const aclInfoSchema = object({
  /** `User:name`. */
  subject: optional(text()),
  policies: optional(
    list(
      object({
        /** `Custom` or `Default`. */
        policyType: optional(text()),
        entries: optional(
          list(
            object({
              resource: optional(text()),
              actions: optional(list(text())),
              sourceIps: optional(list(text())),
              /** `Allow` or `Deny`. */
              decision: optional(text()),
            }),
          ),
        ),
      }),
    ),
  ),
})

/** The rights of a subject: body of AUTH_CREATE_ACL and AUTH_UPDATE_ACL, answer to AUTH_GET_ACL. */
export const aclInfo = jsonBody(aclInfoSchema)
export type AclInfo = BodyOf<typeof aclInfo>

/** Answer to AUTH_LIST_ACL. */
export const aclInfoList = jsonBody(list(aclInfoSchema))
