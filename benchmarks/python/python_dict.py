"""No store: a dictionary in the process."""
import driver


def open_subject(path: str, count: int) -> driver.Subject:
  settings = {driver.setting_name(index): driver.value_of(index) for index in range(count) if index % driver.TYPES < 4}
  get = settings.__getitem__
  return driver.Subject(get, get, get, get)


driver.main(open_subject)
