def write(result, d):
  pass
