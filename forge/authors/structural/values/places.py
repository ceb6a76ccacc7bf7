"""Cities with what belongs to them, so that an address agrees with itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    city: str
    region: str
    country: str
    code: str
    postal: str
    """`#` is a digit, `?` a letter."""
    dial: str
    timezone: str
    currency: str
    latitude: float
    longitude: float


_ROWS = """
Lisbon|Lisboa|Portugal|PT|1#00-2##|+351 21 3## ####|Europe/Lisbon|EUR|38.72|-9.14
Porto|Porto|Portugal|PT|4#00-1##|+351 22 3## ####|Europe/Lisbon|EUR|41.15|-8.61
Leeds|West Yorkshire|United Kingdom|GB|LS# #??|+44 113 496 0###|Europe/London|GBP|53.80|-1.55
Cardiff|Glamorgan|United Kingdom|GB|CF## #??|+44 29 2018 0###|Europe/London|GBP|51.48|-3.18
Dublin|Leinster|Ireland|IE|D0# ?###|+353 1 6## ####|Europe/Dublin|EUR|53.35|-6.26
Lyon|Auvergne-Rhône-Alpes|France|FR|6900#|+33 4 72 ## ## ##|Europe/Paris|EUR|45.76|4.84
Nantes|Pays de la Loire|France|FR|4400#|+33 2 40 ## ## ##|Europe/Paris|EUR|47.22|-1.55
Hamburg|Hamburg|Germany|DE|20###|+49 40 6## ####|Europe/Berlin|EUR|53.55|9.99
Leipzig|Saxony|Germany|DE|04###|+49 341 4## ###|Europe/Berlin|EUR|51.34|12.37
Utrecht|Utrecht|Netherlands|NL|35## ??|+31 30 2## ####|Europe/Amsterdam|EUR|52.09|5.12
Bergen|Vestland|Norway|NO|50##|+47 55 ## ## ##|Europe/Oslo|NOK|60.39|5.32
Malmö|Skåne|Sweden|SE|21# ##|+46 40 ### ## ##|Europe/Stockholm|SEK|55.60|13.00
Krakow|Lesser Poland|Poland|PL|30-###|+48 12 4## ## ##|Europe/Warsaw|PLN|50.06|19.94
Vienna|Vienna|Austria|AT|10#0|+43 1 5## ####|Europe/Vienna|EUR|48.21|16.37
Basel|Basel-Stadt|Switzerland|CH|40##|+41 61 2## ## ##|Europe/Zurich|CHF|47.56|7.59
Turin|Piedmont|Italy|IT|101##|+39 011 4## ####|Europe/Rome|EUR|45.07|7.69
Seville|Andalusia|Spain|ES|410##|+34 954 ## ## ##|Europe/Madrid|EUR|37.39|-5.99
Athens|Attica|Greece|GR|10# ##|+30 21 0### ####|Europe/Athens|EUR|37.98|23.73
Toronto|Ontario|Canada|CA|M#? #?#|+1 416 555 01##|America/Toronto|CAD|43.65|-79.38
Halifax|Nova Scotia|Canada|CA|B#? #?#|+1 902 555 01##|America/Halifax|CAD|44.65|-63.57
Austin|Texas|United States|US|787##|+1 512 555 01##|America/Chicago|USD|30.27|-97.74
Denver|Colorado|United States|US|802##|+1 303 555 01##|America/Denver|USD|39.74|-104.99
Portland|Oregon|United States|US|972##|+1 503 555 01##|America/Los_Angeles|USD|45.52|-122.68
Boston|Massachusetts|United States|US|021##|+1 617 555 01##|America/New_York|USD|42.36|-71.06
Osaka|Osaka|Japan|JP|530-00##|+81 6 6### ####|Asia/Tokyo|JPY|34.69|135.50
Melbourne|Victoria|Australia|AU|30##|+61 3 5550 ####|Australia/Melbourne|AUD|-37.81|144.96
Wellington|Wellington|New Zealand|NZ|60##|+64 4 4## ####|Pacific/Auckland|NZD|-41.29|174.78
Pune|Maharashtra|India|IN|4110##|+91 20 2### ####|Asia/Kolkata|INR|18.52|73.86
Accra|Greater Accra|Ghana|GH|GA-###|+233 30 2## ####|Africa/Accra|GHS|5.60|-0.19
Cape Town|Western Cape|South Africa|ZA|80##|+27 21 4## ####|Africa/Johannesburg|ZAR|-33.92|18.42
"""


def _spot(row: str) -> Spot:
    city, region, country, code, postal, dial, timezone, currency, latitude, longitude = row.split(
        "|"
    )
    return Spot(
        city, region, country, code, postal, dial, timezone, currency, float(latitude),
        float(longitude),
    )  # fmt: skip


SPOTS: tuple[Spot, ...] = tuple(_spot(row) for row in _ROWS.split("\n") if row)
