/**
 * [I6] Words that name acts which cannot be undone. They only ever raise: what they do not find is held at the network all
 * the same if it writes.
 */

/** Whole words; so many verbs of English are nouns, too, that no endings are added. */
const ENGLISH =
  'pay|payment|pay now|buy|purchase|order|order now|place order|checkout|check out|subscribe|book|reserve|bid|donate|give now|' +
  'transfer|withdraw|deposit|send|reply|submit|confirm|publish|post|share|tweet|repost|delete|remove|erase|discard|destroy|drop|' +
  'wipe|purge|empty|reset|cancel|unsubscribe|deactivate|terminate|revoke|close account|sign contract|sign document|accept|agree|approve|authorize|' +
  'authorise|reject|deny|deploy|release|merge|rebase|force push|rollback|archive|ban|block|invite|apply now|enroll|hire|fire|' +
  'upgrade|downgrade|renew|refund|redeem|trade|sell|invest|stake|mint|swap|ship|dispatch|print label|file|lodge|vote|finish|' +
  'complete|proceed|execute|run|shut down|shutdown|restart|reboot|install|uninstall|overwrite|restore'

/** Beginnings of words: these languages inflect. */
const STEMS = [
  // German, Dutch, Scandinavian
  'kauf|bezahl|zahl|zahlungspflichtig|kostenpflichtig|bestell|buch|spend|überweis|abschick|absend|senden|sende|lösch|entfern|' +
    'veröffentlich|kündig|stornier|bestätig|genehmig|freigeb|abonnier|unterschreib|unterzeichn',
  'betal|kopen|koop|bestel|boek|doneer|verstuur|verzend|verwijder|wis|publiceer|opzeg|annuleer|bevestig|goedkeur|overmak|teken',
  'köp|kjøp|køb|betala|beställ|bestill|boka|skicka|radera|ta bort|slet|fjern|publicera|publiser|godkän|godkjenn|avbryt|poista|osta|' +
    'maksa|tilaa|lähetä|vahvista',
  // Romance
  'achet|pay[eé]|commander|réserv|envoy|supprim|effac|publi[eé]|résili|annul|confirm|valid|approuv|abonn|sign|donner|faire un don|virer',
  'compr|pagar|paga|pide|pedir|realizar pedido|reserv|envi|elimin|borr|suprim|public|cancel|confirm|aprob|suscri|dona|transfer|firma',
  'acquist|compra|pag|ordin|prenot|invia|cancell|pubblic|conferm|approv|abbon|dona|bonific|svuota|firm',
  'finalizar|encomend|exclu|apag|remov|assin|doar|plăt|cumpăr|comand|trimit|șterg|anul',
  // Slavic
  'оплат|купи|заказ|оформ|заброни|отправ|удал|опублик|подтверд|перевес|перевод|пожертв|отмен|подпис|одобр|очист|сплат|придбат|' +
    'замов|надісла|видал|підтверд|плати|поръч|изтри|обриши|наруч',
  'zapła|płac|kup|zamaw|zamów|rezerwuj|wyślij|usuń|opublik|potwierd|zatwierd|anuluj|przelej|wpłać|zaplat|koupit|objedn|odesl|smaz|' +
    'potvrd|kúpi|odosl|vymaz|plati|naruč|pošalji|obriši|izbriš',
  // Hungarian, Greek, Turkish, Arabic, Hebrew, Persian, Hindi
  'fizet|vásárl|megrendel|foglal|küld|töröl|törl|megerősít|πληρ|αγορ|παραγγ|αποστολ|διαγραφ|επιβεβ',
  'öde|satın al|sipariş|gönder|sil|onayla|yayınla|iptal|bağış|rezervasyon',
  'ادفع|دفع|شراء|اشتر|طلب|أرسل|إرسال|حذف|احذف|تأكيد|نشر|تبرع|شלם|שלם|תשלום|קנה|קנייה|הזמן|שלח|מחק|אשר|פרסם|תרום|پرداخت|خرید|ارسال|حذف|تایید',
  'भुगतान|खरीद|ऑर्डर|भेज|हटा|पुष्टि|दान|bayar|beli|pesan|kirim|hapus|konfirmasi|thanh toán|mua|đặt hàng|gửi|xóa|xác nhận',
]

/** Scripts that do not put spaces between words. */
const UNSPACED =
  /購入|買う|注文|支払|決済|予約|送信|送る|削除|消去|公開|投稿|確定|承認|寄付|解約|退会|申し込|申込|振込|购买|購買|立即买|立即購|付款|支付|下单|下單|提交|结账|結帳|结算|预订|預訂|发送|發送|傳送|删除|刪除|发布|發佈|確認|确认|转账|轉帳|捐|批准|同意|清空|구매|결제|주문|예약|보내기|전송|삭제|게시|확인|승인|기부|송금|이체|취소|해지|ซื้อ|ชำระ|จ่าย|สั่ง|จอง|ส่ง|ลบ|ยืนยัน|บริจาค/u

const START = '(?<![\\p{L}\\p{N}])'
const LABEL = new RegExp(
  `${START}(?:(?:${ENGLISH.replaceAll(' ', '[\\s-]*')})(?![\\p{L}\\p{N}])|(?:${STEMS.join('|').replaceAll(' ', '\\s+')}))`,
  'iu',
)

/** Whether a label names an act that cannot be undone: as it is seen, without soft hyphens and marks that have no width. */
export function namesAct(label: string): boolean {
  const seen = label.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  return LABEL.test(seen) || UNSPACED.test(seen)
}

/** In addresses: verbs anywhere, what is a noun as well only at the end of a path. */
const VERBS = new Set(
  (
    'buy buynow purchase pay paynow subscribe unsubscribe donate delete destroy remove erase cancel approve reject merge deploy ' +
    'publish unpublish transfer withdraw send submit confirm terminate revoke deactivate refund redeem place placeorder confirmorder ' +
    'createorder orderconfirm logout signout empty purge wipe reset execute trash kaufen bestellen bezahlen loeschen acheter ' +
    'commander payer supprimer comprar pagar eliminar borrar acquista paga ordina elimina betalen kopen verwijder'
  ).split(' '),
)
const NOUNS = new Set(
  'order book bid reserve post share vote ship sign checkout payment reply trade sell accept'.split(' '),
)
/** What a query says it does. */
const ACTION_KEY =
  /^(?:action|act|do|op|operation|cmd|command|task|mode|method|event|type|intent|step|confirm|_method|m|fn|func)$/i
const SEARCH_KEY =
  /^(?:q|query|search|s|k|kw|keyword|keywords|term|terms|text|wd|filter|sort|order|orderby|order_by|sortby|page|lang)$/i

const tokens = (text: string): string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** What tells in a body or a query what is to be done: `action=delete`, `{"method": "order.create"}`. */
export const isActionKey = (key: string): boolean =>
  ACTION_KEY.test(
    key
      .split(/[.[\]]/)
      .filter(Boolean)
      .at(-1) ?? '',
  )

export const tokensOf = tokens

/** Whether an address names such an act, by its path or by its query. */
export function addressNamesAct(address: string): boolean {
  const { pathname, searchParams } = new URL(address)
  const segments = decoded(pathname).split('/').filter(Boolean)
  if (segments.some((segment) => tokens(segment).some((token) => VERBS.has(token)))) return true
  if (tokens(segments.at(-1) ?? '').some((token) => NOUNS.has(token))) return true
  return [...searchParams].some(([key, value]) => {
    if (SEARCH_KEY.test(key)) return false
    const names = (text: string) => tokens(text).some((token) => VERBS.has(token) || NOUNS.has(token))
    return names(key) || (value.length <= 40 && (names(value) || (isActionKey(key) && namesAct(value))))
  })
}

/** Anything in a path that belongs to buying: enough not to take a request for the page's own. */
export const touchesOrders = (address: string): boolean =>
  /order|checkout|pay|purchas|buy|subscri|transfer|donat|delet|remov|book|bestell|kauf|commande|pedido|ordin/i.test(
    new URL(address).pathname,
  )

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
