import { AccountPage, ClaimForm, JoinForm } from './account/page.tsx'
import { AuditPage } from './audit/page.tsx'
import { BrowsersPage } from './browsers/page.tsx'
import { KeysPage } from './keys/page.tsx'
import { LimitsPage } from './limits/page.tsx'
import { MembersPage } from './members/page.tsx'
import { mount } from './mount.tsx'
import { ProfilesPage } from './profiles/page.tsx'
import { RecipesPage } from './recipes/page.tsx'
import { RecipePage } from './recipes/recipe.tsx'
import { UsagePage } from './usage/page.tsx'
import { EndpointPage } from './webhooks/endpoint.tsx'
import { WebhooksPage } from './webhooks/page.tsx'

/** What belongs to a workspace beside its tasks, and the account of its reader. */
mount({
  browsers: BrowsersPage,
  profiles: ProfilesPage,
  keys: KeysPage,
  webhooks: WebhooksPage,
  endpoint: EndpointPage,
  members: MembersPage,
  recipes: RecipesPage,
  recipe: RecipePage,
  usage: UsagePage,
  limits: LimitsPage,
  audit: AuditPage,
  account: AccountPage,
  claim: ClaimForm,
  join: JoinForm,
})
